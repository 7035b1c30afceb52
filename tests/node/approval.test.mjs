// A call that waits for a person is decided about once, however often it has to be said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { json, problem } from "./deployment.mjs";
import { inWorld, story } from "./world.mjs";

const APPROVALS = "POST /v1/sessions/s/operations/op/approvals/2.1";
const RECONCILE = "POST /v1/sessions/s/operations/op/reconcile/2.1";
const sent = ({ calls }) => calls.filter(({ path }) => /\/(approvals|reconcile)\//.test(path));
const made = ({ logs }) => logs.get("s").filter(({ type }) => type === "approval.resolved").map(({ data }) => data);

/** A world with a call that waits, for this reason. */
const waiting = (reason, live) =>
	inWorld(async (world) => {
		world.deployment.commit("s", ...story(3), { type: "approval.requested", operationId: "op", round: 2, data: { index: 1, name: "refund", reason } });
		await live(world);
	});

const verbs = [
	["approve", "policy", APPROVALS, {}, { decision: "approve" }],
	["approve", "policy", APPROVALS, { arguments: { amount: 5 }, note: "half" }, { decision: "approve", note: "half", arguments: { amount: 5 } }],
	["deny", "policy", APPROVALS, {}, { decision: "deny" }],
	["deny", "policy", APPROVALS, { note: "no" }, { decision: "deny", note: "no" }],
	["reconcile", "unknown_outcome", RECONCILE, { outcome: "did_not_happen" }, { outcome: "did_not_happen" }],
	["reconcile", "unknown_outcome", RECONCILE, { outcome: "did_not_happen", unknownSeq: 7 }, { outcome: "did_not_happen", unknownSeq: 7 }],
	["reconcile", "unknown_outcome", RECONCILE, { outcome: "happened", result: "paid" }, { outcome: "happened", result: "paid" }],
];

for (const [verb, reason, route, given, body] of verbs) {
	const what = `${verb} ${JSON.stringify(given)}`;
	const call = ({ windlass }, options) => windlass[verb]("s", "op", "2.1", { ...given, ...options });

	test(`${what}: its answer is lost, and it is decided once`, () =>
		waiting(reason, async (world) => {
			const { clock, deployment } = world;
			deployment.http[route] = ({ body: said }) => {
				delete deployment.http[route];
				deployment.decide("s", "op", route.includes("reconcile") ? "reconcile" : "approvals", "2.1", said);
				throw new TypeError("fetch failed");
			};
			assert.equal((await clock.wait(call(world))).operationId, "op");
			assert.equal((await clock.wait(call(world))).operationId, "op");
			assert.deepEqual(sent(deployment).map((c) => [`${c.method} ${c.path}`, c.body]), Array(3).fill([route, body]));
			assert.equal(made(deployment).length, 1);
		}));

	test(`${what}: a 503 is tried again when it says, and an answer about something else is none`, () =>
		waiting(reason, async (world) => {
			const { clock, deployment } = world;
			const at = [];
			const answers = [() => problem(503, { code: "unavailable", detail: "d", retryable: true }, { "Retry-After": "3" }), () => json(200, { operationId: "another" }), () => new Response("<html>")];
			deployment.http[route] = () => {
				at.push(clock.now);
				if (at.length === answers.length) delete deployment.http[route];
				return answers[at.length - 1]();
			};
			assert.equal((await clock.wait(call(world))).operationId, "op");
			assert.deepEqual([at[1] - at[0], sent(deployment).length, made(deployment).length], [3000, 4, 1]);
		}));

	test(`${what}: what was decided otherwise, lapsed or is not there is thrown at once`, () =>
		waiting(reason, async (world) => {
			const { clock, deployment } = world;
			for (const [status, code] of [[409, "approval_resolved"], [409, "approval_expired"], [404, "not_found"], [422, "invalid_arguments"]]) {
				deployment.http[route] = () => problem(status, { code, detail: "d", retryable: false });
				await assert.rejects(clock.wait(call(world)), { code, status, retryable: false });
			}
			assert.equal(sent(deployment).length, 4);
		}));

	test(`${what}: an abort ends the trying, and close() does`, () =>
		waiting(reason, async (world) => {
			const { clock, deployment, windlass } = world;
			deployment.http[route] = () => problem(503, { code: "unavailable", detail: "d", retryable: true });
			const stop = new AbortController();
			const ended = [call(world, { signal: stop.signal }), call(world)].map((c) => c.catch((e) => e.code ?? e.message));
			await clock.pass(100);
			stop.abort(new Error("enough"));
			windlass.close();
			assert.deepEqual(await clock.wait(Promise.all(ended), 0), ["enough", "closed"]);
		}));
}

test("somebody who was slower is told so", () =>
	waiting("policy", async ({ clock, deployment, windlass }) => {
		await clock.wait(windlass.deny("s", "op", "2.1", { note: "no" }));
		await assert.rejects(clock.wait(windlass.approve("s", "op", "2.1")), { code: "approval_resolved" });
		assert.deepEqual(made(deployment), [{ index: 1, decision: "deny", note: "no" }]);
	}));

test("arguments that are a text go as they are: no number is rounded", () =>
	waiting("policy", async ({ clock, deployment, windlass }) => {
		const exact = '{"account": 12345678901234567890, "amount": 1.10}';
		await clock.wait(windlass.approve("s", "op", "2.1", { arguments: exact }));
		const [{ text, headers }] = sent(deployment);
		assert.deepEqual([text, headers["Content-Type"]], [`{"decision":"approve","arguments":${exact}}`, "application/json"]);
	}));

test("arguments that are no object are sent nowhere", () =>
	waiting("policy", async ({ deployment, windlass }) => {
		for (const bad of ["", "[]", "1", "null", "{", '{}, "decision": "deny"', [], null]) await assert.rejects(windlass.approve("s", "op", "2.1", { arguments: bad }), { code: "invalid_request" }, JSON.stringify(bad));
		assert.equal(sent(deployment).length, 0);
	}));
