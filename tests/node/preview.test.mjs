// What is made of previews: a true piece of what the model said, whatever became of
// the frames, and nothing of a call that is over.
//
// WINDLASS_TEST_SEED runs one world again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Previews } from "../../functions/internal/console/assets/windlass.js";
import { randomOf } from "./clock.mjs";
import { follow, inWorld, story } from "./world.mjs";

const frame = (offset, text, more = {}) => ({ type: "preview", session: "s", operationId: "op", round: 2, attempt: 1, run: 1, kind: "text", offset, text, ...more });
const said = (state) => state && [state.text, state.textFrom, state.gap];
const event = (type, round, attempt, operationId = "op") => ({ seq: 1, type, round, operationId, ...(attempt && { data: { attempt } }) });

test("what is taken is appended, trimmed by its offset, and told as a whole", () => {
	const previews = new Previews("s");
	assert.deepEqual(previews.take(frame(0, "grü")), { session: "s", operationId: "op", round: 2, attempt: 1, run: 1, text: "grü", textFrom: 0, reasoning: "", reasoningFrom: 0, gap: false, ended: false });
	assert.deepEqual(said(previews.take(frame(4, "ß dich"))), ["grüß dich", 0, false]);
	assert.deepEqual(said(previews.take(frame(0, "grüß dich"))), ["grüß dich", 0, false]);
	assert.deepEqual(said(previews.take(frame(2, "üß dich, 🦀"))), ["grüß dich, 🦀", 0, false]);
	assert.equal(previews.take(frame(0, "hm", { kind: "reasoning" })).reasoning, "hm");
	assert.deepEqual(said(previews.take(frame(17, "\ufeff!"))), ["grüß dich, 🦀\ufeff!", 0, false]);
	assert.deepEqual(said(previews.take(frame(17, "\ufeff!?"))), ["grüß dich, 🦀\ufeff!?", 0, false]);
});

test("a hole is not glued, and may be filled", () => {
	const previews = new Previews("s");
	previews.take(frame(0, "ab"));
	assert.deepEqual(said(previews.take(frame(5, "fg"))), ["fg", 5, true]);
	assert.deepEqual(said(previews.take(frame(9, "jk"))), ["jk", 9, true]);
	assert.deepEqual(said(previews.take(frame(1, "bcdef"))), ["jk", 9, true]);
	assert.deepEqual(said(previews.take(frame(7, "hi"))), ["abcdefghijk", 0, false]);
});

test("a newer run replaces, and an older is dropped", () => {
	const previews = new Previews("s");
	previews.take(frame(0, "first"));
	for (const more of [{ run: 2 }, { attempt: 2 }, { attempt: 2, run: 2 }, { round: 3 }]) {
		assert.deepEqual(said(previews.take(frame(0, "next", more))), ["next", 0, false]);
		assert.equal(previews.take(frame(5, " late")), undefined);
	}
	assert.deepEqual(said(previews.take(frame(0, "other", { operationId: "op2", round: 1 }))), ["other", 0, false]);
});

test("what the log has ends the preview, once, and what comes after that is dropped", () => {
	for (const [end, dropped, taken] of [
		[event("model.completed", 2, 1), { attempt: 9 }, { round: 3 }],
		[event("model.completed", 2), { run: 2 }, { round: 3 }], // too large: without its data
		[event("model.failed", 2, 1), { run: 2 }, { attempt: 2 }],
		[event("model.failed", 2), { run: 2 }, { attempt: 2 }],
		[event("model.started", 2, 2), {}, { attempt: 2 }],
		[event("model.started", 3, 1), { attempt: 2 }, { round: 3 }],
		[event("operation.cancelled"), { round: 9 }, { operationId: "op2" }],
	]) {
		const previews = new Previews("s");
		for (const old of [event("model.completed", 1, 1), event("model.failed", 1, 7), event("operation.completed", 0, 0, "op0"), event("tool.completed", 2)]) {
			previews.take(frame(0, "so far"));
			assert.equal(previews.see(old), undefined, JSON.stringify(old));
		}
		assert.deepEqual([previews.see(end)].map((state) => [...said(state), state.ended])[0], ["so far", 0, false, true], JSON.stringify(end));
		assert.equal(previews.see(end), undefined);
		assert.equal(previews.take(frame(6, "!")), undefined);
		assert.equal(previews.take(frame(0, "late", dropped)), undefined, JSON.stringify(end));
		assert.deepEqual(said(previews.take(frame(0, "next", taken))), ["next", 0, false], JSON.stringify(end));
	}
});

test("another operation's end ends nothing", () => {
	const previews = new Previews("s");
	previews.take(frame(0, "so far"));
	assert.equal(previews.see(event("operation.failed", 0, 0, "op2")), undefined);
	assert.equal(previews.see({ seq: 1, type: "workspace.written" }), undefined);
	assert.deepEqual(said(previews.take(frame(6, "!"))), ["so far!", 0, false]);
});

test("a frame that is none is passed over", () => {
	const previews = new Previews("s");
	for (const more of [{ text: undefined }, { offset: -1 }, { offset: 0.5 }, { offset: "0" }, { run: undefined }, { kind: "constructor" }, { kind: undefined }, { operationId: undefined }, { round: null }]) {
		assert.equal(previews.take(frame(0, "x", more)), undefined, JSON.stringify(more));
	}
});

test("what is remembered is bounded", () => {
	const previews = new Previews("s");
	for (let i = 0; i < 1000; i++) previews.take(frame(1e6 - 10 * i, "x"));
	assert.deepEqual(said(previews.take(frame(0, "y".repeat(1e6 + 1)))), ["y".repeat(1e6 + 1), 0, false]);
	const megabyte = "z".repeat(1 << 20);
	const long = new Previews("s");
	for (let i = 0; i < 20; i++) assert.ok(long.take(frame(i << 20, megabyte)).text.length <= 8 << 20);
	for (let i = 0; i < 1000; i++) previews.see(event("operation.completed", 0, 0, `op${i}`));
	assert.equal(previews.take(frame(0, "x", { operationId: "op999" })), undefined);
	assert.ok(previews.take(frame(0, "x", { operationId: "op0" })));
});

const ALPHABET = ["a", "é", "€", "🦀", "\ufeff", "\u2028", "\n", '"', "e\u0301"];

test("whatever becomes of its frames, a text is a true piece of what was said", () => {
	const one = Number(process.env.WINDLASS_TEST_SEED ?? 0);
	let holes = 0;
	for (let seed = one || 1; seed <= (one || 500); seed++) holes += oneText(randomOf(seed), `WINDLASS_TEST_SEED=${seed}`);
	assert.ok(one || holes > 500, `${holes} holes`);
});

/** One text in frames that are lost, doubled, late and overlapping; then all of it once more. */
function oneText(random, seed) {
	const below = (n) => Math.floor(random() * n);
	const characters = Array.from({ length: 1 + below(300) }, () => ALPHABET[below(ALPHABET.length)]);
	const bytes = new TextEncoder().encode(characters.join(""));
	const at = (n) => new TextEncoder().encode(characters.slice(0, n).join("")).length;
	const part = (a, b) => frame(at(a), characters.slice(a, b).join(""));
	const frames = [];
	for (let n = 0; n < characters.length; ) {
		const next = Math.min(characters.length, n + 1 + below(20));
		const times = random() < 0.2 ? 0 : random() < 0.2 ? 2 : 1;
		for (let i = 0; i < times; i++) frames.splice(frames.length - below(Math.min(4, frames.length + 1)), 0, part(Math.max(0, n - below(8)), next));
		n = next;
	}
	const previews = new Previews("s");
	let holes = 0;
	for (const one of frames) {
		const { text, textFrom, gap } = previews.take(one);
		const length = new TextEncoder().encode(text).length;
		assert.equal(text, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(textFrom, textFrom + length)), seed);
		assert.equal(gap, textFrom > 0, seed);
		holes += gap ? 1 : 0;
	}
	assert.deepEqual(said(previews.take(part(0, characters.length))), [characters.join(""), 0, false], seed);
	return holes;
}

test("a page hears of the sessions that it follows, and no more", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		const heard = [];
		windlass.addEventListener("preview", ({ detail }) => heard.push([detail.session, detail.text, detail.ended]));
		deployment.commit("s", ...story(3));
		deployment.commit("t", ...story(3));
		const abort = new AbortController();
		follow(windlass, "s", {});
		follow(windlass, "t", { signal: abort.signal });
		await clock.pass(10);
		const say = async (...frames) => {
			for (const one of frames) deployment.socket.say(one);
			await clock.pass(10);
		};
		await say(frame(0, "one"), frame(0, "two", { session: "t" }), frame(0, "none", { session: "u" }));
		abort.abort();
		await clock.pass(10);
		await say(frame(3, " three", { session: "t" }));
		deployment.socket.cut();
		await clock.until(() => windlass.state.connection === "open");
		await say(frame(0, "one and"));
		deployment.commit("s", { type: "model.completed", operationId: "op", round: 2, data: { attempt: 1, items: [] } });
		await clock.pass(10);
		await say(frame(7, " late"));
		assert.deepEqual(heard, [["s", "one", false], ["t", "two", false], ["s", "one and", false], ["s", "one and", true]]);
	}));
