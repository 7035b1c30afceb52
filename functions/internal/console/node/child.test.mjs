import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, summary } from "../assets/bars.js";
import { asking, Fold } from "../assets/fold.js";
import { sha256 } from "../assets/hash.js";
import { Sum } from "../assets/spent.js";
import { stands } from "../assets/words.js";
import { calls, log, usage } from "./log.mjs";

const used = { ...usage, modelCalls: 2, costUsd: "0.25" };
const asked = [["operation.accepted", { prompt: "go", agent: { name: "boss" } }], ["operation.started"], ["model.started", { attempt: 1, model: "m" }, 1], ["model.completed", { ...calls("delegate", "pay"), costUsd: "0.5" }, 1]];
const handed = [...asked, ["child.submitted", { index: 0, session: "c", operationId: "task", agent: "worker" }, 1]];
const settled = ["child.settled", { index: 0, status: "completed", output: "did", usage: used }, 1];
const result = ["tool.completed", { index: 0, name: "delegate", output: "did" }, 1];
const question = ["approval.requested", { index: 1, name: "pay", reason: "policy" }, 1];

function folded(...steps) {
	const fold = new Fold();
	log(...steps).forEach((event) => fold.apply(event));
	return fold.operations.get("op");
}

const call = (o) => o.rounds.get(1).calls.get(0);

test("a call that another agent carries out is with it from its submission to its end", () => {
	const [open, ended, done] = [handed, [...handed, settled], [...handed, settled, result]].map((steps) => call(folded(...steps)));
	assert.deepEqual([open.child.agent, open.child.session, open.child.status, open.child.endedAt, open.startedAt], ["worker", "c", "", undefined, undefined]);
	assert.deepEqual([ended.child.status, ended.child.endedAt - ended.child.startedAt, ended.output], ["completed", 1, undefined]);
	assert.deepEqual([done.output, done.child.usage.modelCalls], ["did", 2]);
	const given = call(folded(...handed, ["operation.cancel_requested"], ["child.abandoned", { index: 0, session: "c", operationId: "task" }, 1]));
	assert.equal(given.child.status, "abandoned");
});

test("the end of a child whose beginning was not seen does no harm", () => {
	const { child } = call(folded(settled));
	assert.deepEqual([child.agent, child.session, child.status], ["", "", "completed"]);
	assert.equal(bars(folded(settled)).bars.length, 1);
});

test("what a child used counts for its parent, in the turn and in the session", () => {
	const { inputTokens, outputTokens, modelCalls, costUsd } = folded(...handed, settled).usage;
	assert.deepEqual([inputTokens, outputTokens, modelCalls, costUsd], [6, 4, 3, "0.75"]);
	const sum = new Sum();
	log(...handed, settled).forEach((event) => sum.apply(event));
	sum.take({ usage: { ...used, modelCalls: 9, costUsd: "1" }, asOfSeq: handed.length });
	assert.deepEqual([sum.usage.modelCalls, sum.usage.costUsd], [11, "1.25"]);
});

test("a person is waited for while a child works, and nobody is while only a child does", () => {
	const states = (...more) => ((o) => [o.status, asking(o)])(folded(...handed, ...more));
	assert.deepEqual(states(), ["running", false]);
	assert.deepEqual(states(["tool.completed", { index: 1, name: "pay", output: "" }, 1]), ["running", false]);
	assert.deepEqual(states(question), ["waiting", true]);
	assert.deepEqual(states(question, settled), ["running", true]); // its result is next
	assert.deepEqual(states(question, settled, result), ["waiting", true]);
});

test("a child's time is a bar of its own kind, and no tool's", () => {
	const bar = (...more) => bars(folded(...handed, ...more)).bars.filter(({ kind }) => kind === "child" || kind === "tool").map(({ kind, label, from, to, outcome }) => [kind, label, to && to - from, outcome]);
	assert.deepEqual(bar(), [["child", "agent worker", undefined, "running"]]);
	assert.deepEqual(bar(settled, result), [["child", "agent worker", 1, ""]]);
	assert.deepEqual(bar(["child.settled", { index: 0, status: "failed", error: { code: "timeout", message: "m" }, usage: used }, 1]), [["child", "agent worker", 1, "timeout"]]);
	assert.match(summary(folded(...handed, settled)), /0 calls of tools, .*; 1 call of other agents, /);
});

test("how a child stands is said in words", () => {
	const said = (...more) => stands(call(folded(...handed, ...more)).child).filter(Boolean).join(" · ");
	assert.equal(said(), "its answer is waited for");
	assert.equal(said(settled), "completed in 1.0 ms · 2 calls of models · 3 tokens in, 2 out · $0.25");
	assert.equal(said(["child.settled", { index: 0, status: "failed", error: { code: "unknown_agent", message: "m" }, usage: { ...usage, inputTokens: 0, outputTokens: 0, modelCalls: 0 } }, 1]), "failed in 1.0 ms · unknown_agent");
	assert.match(said(["child.abandoned", { index: 0, session: "c", operationId: "task" }, 1]), /it is cancelled/);
});

test("a call that is called back later waits meanwhile, and a person is waited for beside it", () => {
	const started = [...asked, ["tool.started", { index: 0, name: "delegate" }, 1], question];
	const later = ["tool.deferred", { index: 0, name: "delegate", until: "2026-01-02T04:04:05.000000Z" }, 1];
	const states = (...more) => ((o) => [o.status, call(o).deferred])(folded(...started, ...more));
	assert.deepEqual([states(), states(later), states(later, ["tool.answered", { index: 0, output: "o" }, 1]), states(later, result)], [["running", false], ["waiting", true], ["running", false], ["waiting", false]]);
});

test("a hash is that of the bytes", async () => {
	assert.equal(await sha256(new TextEncoder().encode("{}")), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
	assert.equal(await sha256(new Uint8Array()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});
