import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, marks, span, summary, ticks } from "../assets/bars.js";
import { asking, Fold } from "../assets/fold.js";
import { calls, log, turn, usage } from "./log.mjs";

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
	const o = folded([...turn().slice(9, 12), ...log(["tool.dreamt_of", { index: 7 }, 2])]);
	assert.deepEqual([o.status, o.agent, o.prompt, o.round, o.firstSeq], ["running", "", undefined, 2, 10]);
});

const accepted = ["operation.accepted", { prompt: "do it", agent: { name: "demo" } }];
const started = [accepted, ["operation.started"], ["model.started", { attempt: 1, model: "m" }, 1]];
const refund = [...started, ["model.completed", calls("refund", "read"), 1], ["tool.started", { index: 0, name: "refund" }, 1], ["tool.started", { index: 1, name: "read" }, 1]];
const unknown = ["tool.unknown", { index: 0, name: "refund" }, 1];
const asks = ["approval.requested", { index: 0, name: "refund", reason: "unknown_outcome" }, 1];
const read = ["tool.completed", { index: 1, name: "read", output: "" }, 1];
const wish = ["operation.cancel_requested"];

test("an operation waits while a person is asked and nothing else is open", () => {
	const status = (...more) => folded(log(...refund, ...more)).status;
	assert.deepEqual([status(unknown), status(unknown, asks), status(unknown, asks, read)], ["running", "running", "waiting"]);
	const call = ({ rounds }) => rounds.get(1).calls.get(0);
	assert.deepEqual([call(folded(log(...refund, unknown))).unknownAt !== undefined, call(folded(log(...refund, unknown, asks))).asked], [true, true]);
	const did = (decision) => ["approval.resolved", { index: 0, decision }, 1];
	assert.equal(status(unknown, asks, read, did("did_not_happen")), "running");
	assert.equal(status(unknown, asks, read, did("happened"), ["tool.completed", { index: 0, name: "refund", output: "r" }, 1]), "running");
	assert.equal(call(folded(log(...refund, unknown, asks, did("did_not_happen"), refund[4]))).unknownAt, undefined);
	assert.equal(status(unknown, asks, read, wish), "running");
});

test("a cancelled operation is about to end, and then has ended", () => {
	const cut = [...started, wish, ["model.failed", { attempt: 1, error: { code: "cancelled", message: "m" } }, 1]];
	const about = folded(log(...cut));
	assert.deepEqual([about.status, about.cancelling, about.settledAt], ["running", true, undefined]);
	const o = folded(log(...cut, ["operation.cancelled", { usage: { ...usage, modelCalls: 1 } }]));
	assert.deepEqual([o.status, o.settledAt - o.acceptedAt, o.usage.modelCalls], ["cancelled", 5, 1]);
	assert.deepEqual(bars(o).bars.map((b) => [b.kind, b.outcome]), [["queue", ""], ["model", "cancelled"]]);
	assert.deepEqual(marks(o), [{ kind: "end", at: o.settledAt, round: 1, seq: 6, label: "cancelled" }]);
	const queued = folded(log(accepted, wish, ["operation.cancelled", { usage: { ...usage, modelCalls: 0 } }]));
	assert.deepEqual([queued.status, queued.startedAt, queued.round, bars(queued).bars[0].to], ["cancelled", undefined, 0, queued.settledAt]);
	const unseen = folded(log(wish, ["operation.cancelled", {}]));
	assert.deepEqual([unseen.status, unseen.agent, unseen.prompt, unseen.usage.modelCalls], ["cancelled", "", undefined, 0]);
});

test("how an answer stopped is kept, and what an empty one used is counted", () => {
	const o = folded(log(...started, ["model.failed", { attempt: 1, error: { code: "empty_response", message: "m" }, usage, retryAt: "2026-01-02T03:04:05.005000Z" }, 1]));
	assert.deepEqual([o.usage.inputTokens, o.usage.outputTokens], [3, 2]);
	assert.equal(folded(log(accepted, ["operation.completed", { output: "and then", stop: "length", usage }])).stop, "length");
	assert.deepEqual(marks(folded(turn())).map((m) => [m.kind, m.label, m.round]), [["takeover", "takeover", 2]]);
});

test("an open call whose outcome is unknown has a bar that ends there", () => {
	const bar = bars(folded(log(...refund, unknown))).bars.find((b) => b.label === "refund");
	assert.deepEqual([bar.to - bar.from, bar.outcome], [2, "unknown"]);
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

test("a call that a policy asks about waits, and has a bar of its own for it", () => {
	const asked = [...started, ["model.completed", calls("refund"), 1], ["approval.requested", { index: 0, name: "refund", reason: "policy", argumentsSha256: "00", expiresAt: "2026-01-03T03:04:05.000000Z" }, 1]];
	const yes = [...asked, ["approval.resolved", { index: 0, decision: "approve", arguments: '{"amount":5}' }, 1]];
	assert.deepEqual([folded(log(...asked)), folded(log(...yes)), folded(log(...asked, wish))].map((o) => [o.status, asking(o)]), [["waiting", true], ["running", false], ["running", false]]);
	const o = folded(log(...yes, ["tool.started", { index: 0, name: "refund" }, 1], ["tool.completed", { index: 0, name: "refund", output: "paid" }, 1]));
	const call = o.rounds.get(1).calls.get(0);
	assert.deepEqual([call.arguments, call.edited, call.output], ["{}", '{"amount":5}', "paid"]);
	assert.deepEqual(bars(o).bars.slice(2).map((b) => [b.kind, b.label, b.to - b.from]), [["pause", "refund: asked", 1], ["tool", "refund", 1]]);
	const expired = folded(log(...asked, ["approval.resolved", { index: 0, decision: "expired" }, 1], ["tool.failed", { index: 0, name: "refund", error: { code: "denied", message: "m" } }, 1]));
	assert.deepEqual([expired.status, asking(expired), expired.rounds.get(1).calls.get(0).error.code], ["running", false, "denied"]);
});
