import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, span, summary, ticks } from "../assets/bars.js";
import { Fold } from "../assets/fold.js";
import { log, turn } from "./log.mjs";

function folded(events) {
	const fold = new Fold();
	events.forEach((event) => fold.apply(event));
	return fold.operations.get("op");
}

test("a turn folds to its rounds, attempts and results", () => {
	const o = folded(turn());
	assert.deepEqual([o.status, o.agent, o.prompt, o.output, o.round, o.firstSeq, o.lastSeq], ["completed", "demo", "do it", "done", 2, 2, 15]);
	assert.equal(o.usage.modelCalls, 3);
	const [first, second] = o.rounds.values();
	assert.deepEqual(first.attempts.map((a) => [a.n, a.error?.code, a.endedAt - a.startedAt]), [[1, "rate_limited", 1], [2, undefined, 1]]);
	assert.deepEqual([...first.calls.values()].map((c) => [c.index, c.name, c.output, c.error?.code, c.endedAt - c.startedAt]), [[0, "read", undefined, "not_found", 3], [1, "write", "written", undefined, 1]]);
	assert.equal(second.calls.size, 0);
	assert.deepEqual(o.resumed.map((r) => [r.reason, r.round, r.seq]), [["takeover", 2, 13]]);
});

test("an operation that is joined midway, and an event that nobody knows, do no harm", () => {
	const o = folded([...turn().slice(9, 12), ...log(["tool.unknown", { index: 7 }, 2])]);
	assert.deepEqual([o.status, o.agent, o.prompt, o.round, o.firstSeq], ["running", "", undefined, 2, 10]);
});

test("each call has a bar, and what is not settled has no end", () => {
	const whole = bars(folded(turn())).bars;
	assert.deepEqual(whole.map((b) => [b.round, b.kind, b.label, b.to - b.from, b.outcome]), [
		[0, "queue", "queued", 1, ""],
		[1, "model", "model", 1, "rate_limited"],
		[1, "pause", "waits", 1, ""],
		[1, "model", "model, attempt 2", 1, ""],
		[1, "tool", "read", 3, "not_found"],
		[1, "tool", "write", 1, ""],
		[2, "model", "model", 2, ""],
	]);
	const running = bars(folded(turn().slice(0, 12))).bars.at(-1);
	assert.deepEqual([running.to, running.outcome], [undefined, "running"]);
	assert.match(summary(folded(turn())), /completed: 2 rounds; 3 calls of the model, .*; 2 calls of tools, .*; taken over in round 2/);
});

test("the axis covers the turn, in round steps, and stands still while it grows", () => {
	const o = folded(turn().slice(0, 12));
	assert.ok(span(o, o.acceptedAt + 900).length >= 900);
	assert.equal(span(o, o.acceptedAt + 900).length, span(o, o.acceptedAt + 901).length);
	assert.equal(span(folded(turn()), Infinity).length, 13);
	assert.deepEqual(ticks(1000, 4), [0, 250, 500, 750, 1000]);
	assert.deepEqual(ticks(13, 3), [0, 5, 10]);
});
