// The client against a real deployment: its events are those of the HTTP log.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Windlass } from "../../functions/internal/console/assets/windlass.js";

const { WINDLASS_TEST_URL: url, WINDLASS_TEST_KEY: key } = process.env;
const skip = (!url || !key) && "WINDLASS_TEST_URL and WINDLASS_TEST_KEY name no deployment";
const stress = (load) => JSON.stringify({ rounds: 20, callsPerRound: 2, toolBytes: 256, answerBytes: 64, reasoningBytes: 0, latencyMs: 20, ...load });

/** All of a session by HTTP. */
async function log(windlass, session) {
	const events = [];
	for (;;) {
		const page = await windlass.request("GET", `/v1/sessions/${session}/events?after=${events.length}&limit=1000`);
		if (page.events.length === 0) return events;
		events.push(...page.events);
	}
}

async function collect(events, each = () => {}) {
	const seen = [];
	for await (const event of events) each(seen.push(event), event);
	return seen;
}

/** Follows a whole session until an operation is settled. */
async function through(windlass, session, operationId) {
	const seen = [];
	for await (const event of windlass.events(session)) {
		seen.push(event);
		if (event.operationId === operationId && /^operation\.(completed|failed|cancelled)$/.test(event.type)) return seen;
	}
}

test("what is submitted is followed to its end, as the log has it", { skip }, async () => {
	const windlass = new Windlass({ url, key });
	try {
		const session = `node-${randomUUID()}`;
		const first = await windlass.submit(session, { prompt: "write a short README to /codex/result.txt and read it back" });
		const whole = through(windlass, session, first.operationId);
		const seen = await collect(windlass.events(session, { after: first.after, operationId: first.operationId }));
		assert.deepEqual(await whole, await log(windlass, session));
		assert.deepEqual(seen, await whole.then((all) => all.slice(first.after)));
		assert.equal(seen.at(-1).type, "operation.completed");
		// The connection is open now: this one goes over it.
		const second = await windlass.submit(session, { prompt: "again", operationId: "second" });
		assert.deepEqual([second.operationId, second.sessionId, second.accepted], ["second", session, true]);
		assert.equal((await windlass.submit(session, { prompt: "again", operationId: "second" })).accepted, false);
		await assert.rejects(windlass.submit(session, { prompt: "another", operationId: "second" }), { code: "operation_mismatch" });
		await collect(windlass.events(session, { operationId: "second" }));
		const { operations, asOfSeq } = await windlass.snapshot(session);
		assert.deepEqual(operations.map(({ operationId, status }) => [operationId, status]), [["second", "completed"], [first.operationId, "completed"]]);
		assert.equal(asOfSeq, (await log(windlass, session)).length);
		await assert.rejects(windlass.events(`none-${randomUUID()}`).next(), { code: "not_found" });
	} finally {
		windlass.close();
	}
});

test("sockets that are lost at any moment lose no event, and double none", { skip }, async () => {
	const sockets = [];
	class Fragile extends WebSocket {
		constructor(address) {
			super(address);
			sockets.push(this);
		}
	}
	const windlass = new Windlass({ url, key, WebSocket: Fragile, pingMs: { active: 500 } });
	try {
		const session = `node-${randomUUID()}`;
		const { operationId } = await windlass.submit(session, { prompt: stress({ toolBytes: 40_000 }), agent: "stress" });
		// Whenever some more events have come, the connection breaks.
		let next = 1;
		const cut = (count) => {
			if (count < next) return;
			next = count + 1 + Math.floor(Math.random() * 20);
			sockets.at(-1).close();
		};
		const whole = through(windlass, session, operationId);
		const seen = await collect(windlass.events(session, { operationId }), cut);
		const all = await log(windlass, session);
		assert.deepEqual(await whole, all);
		assert.deepEqual(seen, all.filter((event) => event.operationId === operationId));
		assert.ok(sockets.length > 3, `${sockets.length} connections`);
	} finally {
		windlass.close();
	}
});

test("a turn is steered and cancelled, and its iterator ends there", { skip }, async () => {
	const windlass = new Windlass({ url, key });
	try {
		const session = `node-${randomUUID()}`;
		const { operationId } = await windlass.submit(session, { prompt: stress({ latencyMs: 60_000 }), agent: "stress" });
		const types = [];
		for await (const { type } of windlass.events(session, { operationId })) {
			types.push(type);
			if (type === "model.started") {
				const said = { text: stress({ rounds: 0 }), messageId: "m" };
				assert.deepEqual([await windlass.steer(session, operationId, said), await windlass.steer(session, operationId, said)].map((r) => [r.operationId, r.steered, r.accepted]), [[operationId, true, true], [operationId, true, false]]);
				await assert.rejects(windlass.submit(session, { prompt: "p", ifBusy: "reject" }), { code: "session_busy" });
			}
			if (type === "message.steered") assert.equal((await windlass.cancel(session, operationId)).cancelRequested, true);
		}
		assert.deepEqual(types.slice(-4), ["message.steered", "operation.cancel_requested", "model.failed", "operation.cancelled"]);
		assert.equal((await windlass.cancel(session, operationId)).status, "cancelled");
	} finally {
		windlass.close();
	}
});

test("an answer is heard while it is written, and told when the log has it", { skip }, async () => {
	const windlass = new Windlass({ url, key });
	try {
		const heard = [];
		windlass.addEventListener("preview", ({ detail }) => heard.push(detail));
		const session = `node-${randomUUID()}`;
		const { operationId } = await windlass.submit(session, { prompt: stress({ rounds: 0, answerBytes: 3000, chunkBytes: 20, chunkMs: 20 }), agent: "stress" });
		const { output } = (await collect(windlass.events(session, { operationId }))).at(-1).data;
		assert.ok(heard.length > 3, `${heard.length} previews`);
		for (const { text, gap, round } of heard) assert.ok(output.startsWith(text) && !gap && round === 1, text);
		assert.deepEqual(heard.map(({ ended }) => ended).filter(Boolean), [true]);
		assert.equal(heard.at(-1).ended, true);
	} finally {
		windlass.close();
	}
});

test("a key that is none is refused", { skip }, async () => {
	const windlass = new Windlass({ url, key: `${key}x` });
	try {
		await assert.rejects(windlass.events("s").next(), { code: "unauthorized" });
		assert.equal(windlass.state.connection, "closed");
	} finally {
		windlass.close();
	}
});
