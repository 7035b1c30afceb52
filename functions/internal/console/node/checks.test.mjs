import assert from "node:assert/strict";
import { test } from "node:test";
import { checks } from "../assets/checks.js";
import { turn } from "./log.mjs";

const replaced = { before: "2026-01-02T03:04:05.000000Z", after: "2026-01-02T03:04:06.000000Z" };
const names = ["The process was replaced", "Seqs are dense from 1", "What was delivered is what the log holds", "Every call has exactly one result", "The turn ended once", "The takeover stands in the log"];

function failing(change) {
	const evidence = { delivered: turn(), logged: turn(), operation: "op", killedAfter: 12, replaced: { ...replaced } };
	change(evidence);
	return checks(evidence).filter((check) => !check.ok).map((check) => check.name);
}

const both = (change) => (evidence) => [evidence.delivered, evidence.logged].forEach(change);

test("a turn that was taken over passes them all", () => {
	assert.deepEqual(failing(() => {}), []);
	assert.deepEqual(checks({ delivered: turn(), logged: turn(), operation: "op", killedAfter: 12, replaced }).map((check) => check.name), names);
});

test("a cancellation is an end like any other", () => {
	const cancel = both((l) => {
		l[14].type = "operation.cancelled";
		l[14].data = { usage: l[14].data.usage };
	});
	assert.deepEqual(failing(cancel), []);
	assert.ok(failing((e) => [e.delivered, e.logged].forEach((l) => (l[14].type = "operation.cancel_requested"))).includes(names[4]));
});

for (const [what, change, want] of [
	["the process is the same one", (e) => (e.replaced.after = e.replaced.before), names[0]],
	["nobody knows which process it is", (e) => (e.replaced.after = ""), names[0]],
	["an event is missing in the log", both((l) => l.splice(2, 1)), names[1]],
	["an event was not delivered", (e) => e.delivered.splice(2, 1), names[2]],
	["an event was delivered twice", (e) => e.delivered.splice(2, 0, e.delivered[2]), names[2]],
	["two events were delivered in the other order", (e) => e.delivered.splice(2, 2, e.delivered[3], e.delivered[2]), names[2]],
	["one byte differs", (e) => (e.delivered[1].data.prompt = "do it!"), names[2]],
	["nothing was delivered after the kill", (e) => e.delivered.splice(12), names[2]],
	["a call has no result", both((l) => (l[9].type = "other")), names[3]],
	["a call has two results", both((l) => (l[9].data.index = 0)), names[3]],
	["a result was not asked for", both((l) => (l[9].data.index = 5)), names[3]],
	["the turn ended twice", both((l) => l.push({ ...l.at(-1), seq: l.length + 1 })), names[4]],
	["something follows the end", both((l) => l.push({ ...l[2], seq: l.length + 1 })), names[4]],
	["the turn did not end", both((l) => l.pop()), names[4]],
	["nobody took over", both((l) => (l[12].data.reason = "generation")), names[5]],
	["the takeover was before the kill", (e) => (e.killedAfter = 13), names[5]],
]) {
	test(`it is found that ${what}`, () => assert.ok(failing(change).includes(want), `${failing(change)}, want ${want}`));
}
