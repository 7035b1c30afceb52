// Whatever a network and a server may do, each iterator gives the log, or its
// operation's part of it: each event once, in order.
//
// WINDLASS_TEST_SEED runs one world again, WINDLASS_TEST_SEEDS says how many there are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Windlass } from "../../functions/internal/console/assets/windlass.js";
import { Clock, randomOf } from "./clock.mjs";
import { Deployment } from "./deployment.mjs";

const ONE = Number(process.env.WINDLASS_TEST_SEED ?? 0);
const SEEDS = Number(process.env.WINDLASS_TEST_SEEDS ?? 1000);
const SETTLES = ["operation.completed", "operation.failed", "operation.cancelled"];

test(`in ${ONE ? 1 : SEEDS} random worlds, each iterator gives its events once, in order`, async () => {
	const met = {};
	for (let seed = ONE || 1; seed <= (ONE || SEEDS); seed++) {
		try {
			for (const [what, often] of Object.entries(await world(seed))) met[what] = (met[what] ?? 0) + often;
		} catch (cause) {
			throw new Error(`seed ${seed}: ${cause.message}; run it again with WINDLASS_TEST_SEED=${seed}`, { cause });
		}
	}
	// A world without trouble proves nothing.
	if (!ONE) for (const what of ["reconnects", "resubscribes", "fetches", "overflows", "returns", "stalls"]) assert.ok(met[what] >= SEEDS / 60, `${what}: ${met[what]}`);
});

/** Lives through one world, and says what it met. */
async function world(seed) {
	const random = randomOf(seed);
	const clock = new Clock();
	const many = seed % 50 === 0; // more than may wait for a consumer
	const busy = seed % 20 === 1; // it goes on until each has what it is about
	const deployment = new Deployment(clock, random, busy ? { ...BUSY } : faultsOf(random, many));
	const windlass = new Windlass({ ...deployment.options, random });
	try {
		deployment.commit("s", { type: "session.opened" });
		const story = storyOf(random, many ? 6000 : 10 + below(random, 120));
		const told = many ? story.length - 20 : below(random, story.length);
		deployment.commit("s", ...story.slice(0, told));
		const about = 1 + story.length;
		const readers = readersOf(random, clock, windlass, story, many, busy);
		const have = () => readers.every((reader) => reader.done(deployment.logs.get("s").slice(0, about)));
		const toldAll = tell(clock, random, deployment, story.slice(told), busy ? 500 : 20_000, () => busy && !have());
		const done = () => toldAll() && readers.every((reader) => reader.done(deployment.logs.get("s")));
		const what = () => JSON.stringify(readers.map((r) => [r.after, r.operationId, r.seen.length]));
		if (busy) await clock.until(have, 600_000, `while ${about} events of ${what()}`);
		await clock.until(done, 6 * 3_600_000, `the end of ${what()}`);
		await clock.pass(300_000); // whatever comes twice may come late
		for (const reader of readers) assert.deepEqual(reader.seen, expected(deployment.logs.get("s"), reader), JSON.stringify(reader));
		windlass.close();
		await clock.pass(1000);
		assert.equal(clock.timers.size, 0, "timers outlive close()");
		assert.deepEqual(deployment.accused, []);
		return metIn(deployment, busy);
	} finally {
		clock.restore();
	}
}

/** Every tenth frame is lost, half of the subscribes are not answered; nothing else. */
const BUSY = { lose: 0.1, lateMs: 50, muteSubscribes: 0.5 };

const below = (random, n) => Math.floor(random() * n);

function faultsOf(random, many) {
	const bad = random(); // from calm to awful
	return {
		lose: random() * 0.3 * bad,
		double: random() * 0.5 * bad,
		lateMs: random() < 0.3 ? 2 : random() * 2000 * bad,
		mute: random() * 0.2 * bad,
		http: random() * 0.5 * bad,
		page: many ? 400 : 1 + below(random, 20),
		part: many ? 1e9 : 1 + below(random, 100),
		lifeMs: random() < 0.4 ? 0 : 200 + random() * 60_000,
	};
}

/** Three operations' events, one after the other or mixed, and some of nobody. */
function storyOf(random, length) {
	const story = [];
	const open = new Set();
	let next = 0;
	while (story.length < length || open.size > 0) {
		const id = `op${below(random, next)}`;
		if (story.length < length && random() < 0.1 && open.size < 3) open.add(`op${next}`) && story.push({ type: "operation.accepted", operationId: `op${next++}` });
		else if (open.has(id) && (story.length >= length || random() < 0.1)) open.delete(id) && story.push({ type: SETTLES[below(random, 3)], operationId: id });
		else if (open.has(id)) story.push({ type: "tool.completed", operationId: id, data: { output: "x" }, large: random() < 0.05 });
		else if (random() < 0.05) story.push({ type: "workspace.written" });
	}
	return story;
}

/** Tells the rest of the story, a commit at a time, and more for as long as it is to go on. */
function tell(clock, random, deployment, rest, pauseMs, goesOn) {
	const over = () => rest.length === 0 && !goesOn();
	let told = over();
	const more = () => {
		const entries = rest.splice(0, 1 + below(random, 6));
		deployment.commit("s", ...(entries.length > 0 ? entries : [{ type: "workspace.written" }]));
		told = over();
		if (!told) clock.at(random() * (random() < 0.1 ? pauseMs : 500), more);
	};
	if (!told) clock.at(random() * 3000, more);
	return () => told;
}

/** Two of everything, one of an operation's, one that comes late. They may leave, and come back. */
function readersOf(random, clock, windlass, story, many, busy) {
	const starts = story.flatMap((entry, i) => (entry.type === "operation.accepted" ? [{ operationId: entry.operationId, first: i + 2 }] : []));
	const { operationId, first } = starts[below(random, starts.length)] ?? { first: 1 };
	const slow = many ? 0.2 : random() < 0.5 ? 0 : random();
	const leaves = many || busy || random() < 0.5 ? 0 : random() * 0.05;
	const consumer = (options, slow, sleepMs) => new Consumer(clock, random, windlass, options, { slow, sleepMs, leaves });
	return [
		consumer({ after: many ? 0 : below(random, 10) }, slow, many ? 120_000 : 0),
		consumer({ after: below(random, first), operationId }, random() < 0.5 ? 0 : slow, 0),
		consumer({ after: below(random, 5) }, 0, random() * 20_000),
	];
}

class Consumer {
	seen = [];
	ended = false;

	constructor(clock, random, windlass, { after, operationId }, habits) {
		Object.assign(this, { clock, random, windlass, after, operationId, ...habits });
		this.#run().catch((error) => (this.error ??= error));
	}

	async #run() {
		const { clock, random } = this;
		this.early = this.sleepMs < 60_000;
		if (this.early) await clock.sleep(this.sleepMs);
		while (await this.#visit()) if (random() < 0.5) await clock.sleep(random() * 1000);
		this.ended = true;
	}

	/** Follows after what it has seen. Gives whether it left, and is to come back. */
	async #visit() {
		const { clock, random, operationId } = this;
		const after = this.seen.at(-1)?.seq ?? this.after;
		for await (const event of this.windlass.events("s", { after, operationId })) {
			this.seen.push(event);
			if (!this.early && this.seen.length === 1) await clock.sleep(this.sleepMs);
			if (random() < this.slow * 0.1) await clock.sleep(random() * 2000);
			const last = operationId !== undefined && SETTLES.includes(event.type);
			if (!last && random() < this.leaves) return true;
		}
		return false;
	}

	done(log) {
		if (this.error && this.error.code !== "closed") throw this.error;
		return this.operationId === undefined ? this.seen.length >= log.length - this.after : this.ended;
	}

	toJSON() {
		return { after: this.after, operationId: this.operationId, seen: this.seen.map((event) => event.seq).join() };
	}
}

function expected(log, { after, operationId }) {
	return log.slice(after).filter((event) => operationId === undefined || event.operationId === operationId);
}

function metIn({ sockets, calls, unanswered }, busy) {
	const again = sockets.map(({ heard }) => {
		const subscribes = heard.filter((frame) => frame.type === "subscribe");
		return subscribes.slice(new Set(subscribes.map((frame) => frame.operationId)).size);
	});
	const left = (name, frames) => frames.some((frame) => frame.type === "unsubscribe" && frame.operationId === name);
	return {
		returns: sockets.flatMap(({ heard }) => heard.filter((frame, i) => frame.type === "subscribe" && left(frame.operationId, heard.slice(0, i)))).length,
		stalls: busy ? unanswered : 0,
		reconnects: sockets.length - 1,
		resubscribes: again.flat().length,
		fetches: calls.filter((call) => call.method === "GET").length,
		overflows: again.flat().filter((frame) => frame.after >= 1000).length > 0 ? 1 : 0,
	};
}
