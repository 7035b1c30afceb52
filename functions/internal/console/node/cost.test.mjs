import assert from "node:assert/strict";
import { test } from "node:test";
import { dollars, nothing, spend, sumUSD } from "../assets/cost.js";
import { Fold } from "../assets/fold.js";
import { Sum } from "../assets/spent.js";
import { log, usage } from "./log.mjs";

test("amounts are added exactly, and what is not one makes the sum unknown", () => {
	const sums = [["0.1", "0.2", "0.3"], ["0", "0", "0"], ["0.000000000001", "9007199254740993", "9007199254740993.000000000001"], ["0.75", "0.25", "1"], ["100", "0.50", "100.5"], [".5", "1.", "1.5"]];
	assert.deepEqual(sums.map(([a, b]) => sumUSD(a, b)), sums.map(([, , sum]) => sum));
	for (const strange of ["unknown", "", undefined, "1e3", "-1", "1.2.3", ".", "0x1", "1".repeat(65), 1]) {
		assert.equal(sumUSD("1", strange), "unknown", String(strange));
	}
});

test("a cost is said for people: what has no price is not free", () => {
	assert.deepEqual(["0", "0.00", "0.0123456", "0.000000000001", "0.5", "1", "1234.567", "unknown", "", undefined].map(dollars),
		["free", "free", "$0.0123", "$0.000000000001", "$0.50", "$1.00", "$1,234.57", "cost unknown", "cost unknown", "cost unknown"]);
});

const called = { ...usage, cacheWriteTokens: 1 };
const calls = [
	["model.started", { attempt: 1, model: "m", purpose: "compact" }, 1],
	["transcript.compacted", { items: 7, summary: "s", tokensBefore: 9, tokensAfter: 3, model: "m", usage: called, costUsd: "0.1" }, 1],
	["model.started", { attempt: 2, model: "m" }, 1],
	["model.failed", { attempt: 2, error: { code: "overloaded", message: "m" }, fallback: true }, 1],
	["model.started", { attempt: 3, model: "n" }, 1],
	["model.completed", { attempt: 3, model: "n", stop: "end", usage: called, costUsd: "0.2", cacheMiss: "compacted", items: [{ kind: "opaque", native: "x" }] }, 1],
];

test("all calls of the model count, those for a summary too, and one that used nothing costs nothing", () => {
	const sum = log(...calls).reduce((u, event) => spend(u, event), nothing());
	assert.deepEqual(sum, { inputTokens: 6, outputTokens: 4, cachedTokens: 0, reasoningTokens: 0, cacheWriteTokens: 2, modelCalls: 3, costUsd: "0.3" });
	const unpriced = log(["model.completed", { attempt: 1, items: [], usage }, 1]).reduce((u, event) => spend(u, event), nothing());
	assert.equal(unpriced.costUsd, "unknown");
});

test("an operation's sum is the log's own once it is settled, and of one that was joined midway not known before", () => {
	const accepted = ["operation.accepted", { prompt: "p", agent: { name: "a" } }];
	const end = ["operation.completed", { output: "o", usage: { ...usage, modelCalls: 3, costUsd: "0.30" } }];
	const folded = (...steps) => {
		const fold = new Fold();
		log(...steps).forEach((event) => fold.apply(event));
		return fold.operations.get("op");
	};
	assert.deepEqual([folded(accepted, ...calls), folded(accepted, ...calls, end), folded(...calls), folded(...calls, end)].map((o) => [o.usage.costUsd, o.joined]), [["0.3", false], ["0.30", false], ["0.3", true], ["0.30", false]]);
	assert.deepEqual(folded(accepted, ...calls).rounds.get(1).attempts.map((a) => [a.n, a.purpose, a.model, a.cost, a.cacheMiss, a.error?.code, a.endedAt - a.startedAt]), [
		[1, "compact", "m", "0.1", undefined, undefined, 1], [2, "", "m", undefined, undefined, "overloaded", 1], [3, "", "n", "0.2", "compacted", undefined, 1],
	]);
});

test("a session's sum is what the API says and what came after that, in whatever order they come", () => {
	const events = log(...calls);
	const said = { usage: { ...nothing(), modelCalls: 2, costUsd: "5.1" }, asOfSeq: 3 };
	for (const before of [0, 2, 3, 4, 6]) {
		const sum = new Sum();
		events.slice(0, before).forEach((event) => sum.apply(event));
		assert.equal(sum.usage, undefined);
		sum.take(said);
		events.slice(before).forEach((event) => sum.apply(event));
		assert.deepEqual([sum.usage.costUsd, sum.usage.modelCalls, sum.usage.inputTokens], ["5.3", 3, 3], `${before} events came first`);
	}
});
