// An operation is cancelled and steered once, however often it has to be said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cancelled, json, problem } from "./deployment.mjs";
import { follow, heard, inWorld, story, upTo } from "./world.mjs";

const STEER = "POST /v1/sessions/s/operations/op/steer";
const CANCEL = "POST /v1/sessions/s/operations/op/cancel";
const sent = ({ calls }, verb) => calls.filter((call) => call.path.endsWith(`/${verb}`));
const logged = ({ logs }, type) => logs.get("s").filter((event) => event.type === type);

/** A world with an operation that goes on. */
const running = (live) =>
	inWorld(async (world) => {
		world.deployment.commit("s", ...story(3));
		await live(world);
	});

/** The route does it, and its answer is lost. */
const lost = (deployment, route, does) => {
	deployment.http[route] = ({ body }) => {
		delete deployment.http[route];
		does(body);
		throw new TypeError("fetch failed");
	};
};

const unavailable = () => problem(503, { code: "unavailable", detail: "out of reach", retryable: true }, { "Retry-After": "3" });

/** Two refusals, then what the route does. */
const busyTwice = (clock, deployment, route) => {
	const at = [];
	deployment.http[route] = () => {
		if (at.push(clock.now) === 2) delete deployment.http[route];
		return unavailable();
	};
	return at;
};

test("a steered message has the receipt of the operation that runs", () =>
	running(async ({ clock, deployment, windlass }) => {
		const receipt = await clock.wait(windlass.steer("s", "op", { text: "in French", messageId: "m" }));
		assert.deepEqual(receipt, { operationId: "op", sessionId: "s", streamId: "S", accepted: true, status: "running", after: 3, steered: true });
		assert.deepEqual(sent(deployment, "steer").map(({ body }) => body), [{ text: "in French", messageId: "m" }]);
		assert.equal((await clock.wait(windlass.steer("s", "op", { text: "in French", messageId: "m" }))).accepted, false);
		assert.equal(logged(deployment, "message.steered").length, 1);
	}));

test("a steer whose answer is lost is sent again under the same message id", () =>
	running(async ({ clock, deployment, windlass }) => {
		lost(deployment, STEER, (body) => deployment.steer("s", "op", body));
		const receipt = await clock.wait(windlass.steer("s", "op", { text: "in French" }));
		assert.deepEqual([receipt.accepted, receipt.steered], [false, true]);
		const ids = sent(deployment, "steer").map(({ body }) => body.messageId);
		assert.match(ids[0], /^[0-9a-f-]{36}$/);
		assert.deepEqual(ids, [ids[0], ids[0]]);
		assert.equal(logged(deployment, "message.steered").length, 1);
	}));

test("what is said too late is an operation of its own, under the message's id", () =>
	running(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", cancelled());
		const receipt = await clock.wait(windlass.steer("s", "op", { text: "too late", messageId: "m" }));
		assert.deepEqual([receipt.operationId, receipt.status, receipt.steered], ["m", "queued", undefined]);
	}));

test("a message id that another text has is thrown, and not tried again", () =>
	running(async ({ clock, deployment, windlass }) => {
		deployment.steer("s", "op", { text: "another", messageId: "m" });
		await assert.rejects(clock.wait(windlass.steer("s", "op", { text: "one", messageId: "m" })), { code: "operation_mismatch", retryable: false });
		assert.equal(sent(deployment, "steer").length, 1);
	}));

test("a cancel whose answer is lost is sent again, and cancels once", () =>
	running(async ({ clock, deployment, windlass }) => {
		lost(deployment, CANCEL, () => deployment.cancel("s", "op"));
		assert.equal((await clock.wait(windlass.cancel("s", "op"))).status, "cancelled");
		assert.equal((await clock.wait(windlass.cancel("s", "op"))).status, "cancelled");
		assert.deepEqual([sent(deployment, "cancel").length, logged(deployment, "operation.cancel_requested").length, logged(deployment, "operation.cancelled").length], [3, 1, 1]);
		assert.equal(sent(deployment, "cancel")[0].body, undefined);
	}));

for (const [verb, route, call] of [
	["cancel", CANCEL, (windlass, signal) => windlass.cancel("s", "op", { signal })],
	["steer", STEER, (windlass, signal) => windlass.steer("s", "op", { text: "t", signal })],
]) {
	test(`${verb}: a 503 is tried again when it says`, () =>
		running(async ({ clock, deployment, windlass }) => {
			const at = busyTwice(clock, deployment, route);
			assert.equal((await clock.wait(call(windlass))).operationId, "op");
			assert.deepEqual([at[1] - at[0], sent(deployment, verb).length], [3000, 3]);
		}));

	test(`${verb}: an answer about something else is not taken for one`, () =>
		running(async ({ clock, deployment, windlass }) => {
			const answers = [new Response(null, { status: 204 }), json(200, { operationId: "another" }), new Response("<html>")];
			deployment.http[route] = () => {
				if (answers.length === 1) delete deployment.http[route];
				return answers.shift();
			};
			assert.equal((await clock.wait(call(windlass))).operationId, "op");
			assert.equal(sent(deployment, verb).length, 4);
		}));

	test(`${verb}: what is not there is thrown, an abort ends the trying, and close() does`, () =>
		running(async ({ clock, deployment, windlass }) => {
			deployment.http[route] = () => problem(404, { code: "not_found", detail: "none", retryable: false });
			await assert.rejects(clock.wait(call(windlass)), { code: "not_found" });
			deployment.http[route] = unavailable;
			const stop = new AbortController();
			const ended = [call(windlass, stop.signal), call(windlass)].map((c) => c.catch((e) => e.code ?? e.message));
			await clock.pass(100);
			stop.abort(new Error("enough"));
			windlass.close();
			assert.deepEqual(await clock.wait(Promise.all(ended), 0), ["enough", "closed"]);
		}));
}

test("an operation's iterator ends with its cancellation, and nothing is urgent then", () =>
	running(async ({ clock, deployment, windlass }) => {
		const all = follow(windlass, "s");
		const one = follow(windlass, "s", { operationId: "op" });
		await clock.until(() => one.seqs.length === 3);
		await clock.wait(windlass.cancel("s", "op"));
		deployment.commit("s", ...story(1, "next"), { type: "operation.completed", operationId: "next" });
		await clock.wait(one.end, 100);
		assert.deepEqual([one.seqs, one.error, one.events.at(-1).type], [upTo(5), undefined, "operation.cancelled"]);
		await clock.until(() => all.seqs.length === 7);
		const pings = heard(deployment, "ping").length;
		await clock.pass(100_000);
		assert.equal(heard(deployment, "ping").length, pings);
	}));

test("an operation that is asked to end, and has not, is urgent still", () =>
	running(async ({ clock, deployment, windlass }) => {
		const one = follow(windlass, "s", { operationId: "op" });
		deployment.commit("s", { type: "operation.cancel_requested", operationId: "op" });
		await clock.until(() => one.seqs.length === 4);
		await clock.pass(31_000);
		assert.deepEqual([one.ended, heard(deployment, "ping").length], [false, 2]);
	}));

for (const [how, socket] of [["over HTTP", false], ["over the socket", true]]) {
	test(`ifBusy goes along, and a steered receipt is one, ${how}`, () =>
		running(async ({ clock, deployment, windlass }) => {
			const run = socket && follow(windlass, "s");
			await clock.until(() => !run || run.seqs.length === 3);
			const steered = { operationId: "op", sessionId: "s", streamId: "S", accepted: true, status: "running", after: 3, steered: true };
			deployment.on.submit = ({ id }, line) => line.say({ type: "result", receipt: steered }, id);
			deployment.http["POST /v1/sessions/s/operations"] = () => json(202, steered);
			assert.deepEqual(await clock.wait(windlass.submit("s", { prompt: "in French", operationId: "m", ifBusy: "steer" })), steered);
			const bodies = socket ? heard(deployment, "submit") : deployment.calls.filter(({ path }) => path.endsWith("/operations")).map(({ body }) => body);
			assert.deepEqual(bodies.map(({ operationId, ifBusy }) => [operationId, ifBusy]), [["m", "steer"]]);
		}));

	test(`a session that is busy is thrown with the id, and not tried again, ${how}`, () =>
		running(async ({ clock, deployment, windlass }) => {
			const run = socket && follow(windlass, "s");
			await clock.until(() => !run || run.seqs.length === 3);
			deployment.on.submit = ({ id }, line) => line.say({ type: "error", code: "session_busy", message: "busy", retryable: false }, id);
			deployment.http["POST /v1/sessions/s/operations"] = () => problem(409, { code: "session_busy", detail: "busy", retryable: false });
			await assert.rejects(clock.wait(windlass.submit("s", { prompt: "p", operationId: "m", ifBusy: "reject" })), { code: "session_busy", operationId: "m" });
			assert.equal(deployment.calls.filter(({ path }) => path.endsWith("/operations")).length + heard(deployment, "submit").length, 1);
		}));
}
