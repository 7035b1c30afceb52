// A prompt is submitted once, however often it has to be sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WindlassError } from "../../functions/internal/console/assets/windlass.js";
import { json, problem } from "./deployment.mjs";
import { follow, heard, inWorld, story } from "./world.mjs";

const ROUTE = "POST /v1/sessions/s/operations";
const posts = ({ calls }) => calls.filter((call) => call.path.endsWith("/operations"));
const accepted = ({ logs }) => (logs.get("s") ?? []).filter((event) => event.type === "operation.accepted");

/** A world with a socket that is open. */
const connected = (live) =>
	inWorld(async (world) => {
		world.deployment.commit("s", { type: "session.opened" });
		const run = follow(world.windlass, "s");
		await world.clock.until(() => run.seqs.length === 1);
		await live(world);
	});

test("without a socket a prompt goes by HTTP, and opens none", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		const receipt = await clock.wait(windlass.submit("s", { prompt: "p", operationId: "a", agent: "stress" }));
		assert.deepEqual(receipt, { operationId: "a", sessionId: "s", streamId: "S", accepted: true, status: "queued", after: 0 });
		assert.deepEqual(posts(deployment).map((call) => call.body), [{ prompt: "p", operationId: "a", agent: "stress" }]);
		assert.equal(deployment.sockets.length, 0);
	}));

test("with a socket a prompt goes over it", () =>
	connected(async ({ clock, deployment, windlass }) => {
		const receipt = await clock.wait(windlass.submit("s", { prompt: "p", operationId: "a" }));
		assert.equal(receipt.accepted, true);
		assert.equal(posts(deployment).length, 0);
		const { id, ...frame } = heard(deployment, "submit")[0];
		assert.deepEqual(frame, { v: 1, type: "submit", session: "s", prompt: "p", operationId: "a" });
	}));

test("a prompt that makes a frame over 24 KB goes by HTTP", () =>
	connected(async ({ clock, deployment, windlass }) => {
		for (const prompt of ["x".repeat(24 << 10), "é".repeat(12 << 10), '"'.repeat(12 << 10)]) await clock.wait(windlass.submit("s", { prompt }));
		assert.equal(posts(deployment).length, 3);
		await clock.wait(windlass.submit("s", { prompt: "x".repeat(23 << 10) }));
		assert.equal(heard(deployment, "submit").length, 1);
	}));

test("an answer that is lost on the socket: the same id again, and accepted once", () =>
	connected(async ({ clock, deployment, windlass }) => {
		deployment.on.submit = ({ session, ...submission }) => void deployment.submit(session, submission);
		const receipt = await clock.wait(windlass.submit("s", { prompt: "p" }));
		assert.equal(receipt.accepted, false);
		assert.equal(posts(deployment)[0].body.operationId, heard(deployment, "submit")[0].operationId);
		assert.equal(accepted(deployment).length, 1);
	}));

test("a socket that is lost before the answer: the same id again", () =>
	connected(async ({ clock, deployment, windlass }) => {
		deployment.on.submit = ({ session, ...submission }, socket) => deployment.submit(session, submission) && socket.cut();
		const receipt = await clock.wait(windlass.submit("s", { prompt: "p", operationId: "a" }), 2000);
		assert.deepEqual([receipt.accepted, receipt.operationId], [false, "a"]);
		assert.equal(accepted(deployment).length, 1);
	}));

test("an answer that is lost over HTTP: the same id again", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.http[ROUTE] = ({ body }) => {
			delete deployment.http[ROUTE];
			deployment.submit("s", body);
			throw new TypeError("fetch failed");
		};
		const receipt = await clock.wait(windlass.submit("s", { prompt: "p" }));
		assert.equal(receipt.accepted, false);
		assert.equal(new Set(posts(deployment).map((call) => call.body.operationId)).size, 1);
		assert.match(receipt.operationId, /^[0-9a-f-]{36}$/);
	}));

for (const [what, header, ms] of [
	["in seconds", "7", 7000],
	["as a date", new Date(1_800_000_000_000 + 9000).toUTCString(), 9000],
])
	test(`Retry-After ${what} is waited for`, () =>
		inWorld(async ({ clock, deployment, windlass }) => {
			const at = [];
			deployment.http[ROUTE] = ({ body }) => {
				if (at.push(clock.now) === 1) return problem(429, { code: "queue_full", detail: "full", retryable: true, operationId: "a" }, { "Retry-After": header });
				return json(202, deployment.submit("s", body).receipt);
			};
			await clock.wait(windlass.submit("s", { prompt: "p", operationId: "a" }));
			assert.equal(at[1] - at[0], ms);
		}));

test("the gateway's own refusals are tried again, with pauses that grow to 15 s", () =>
	inWorld(
		async ({ clock, deployment, windlass }) => {
			const at = [];
			deployment.http[ROUTE] = ({ body }) => {
				if (at.push(clock.now) < 9) return json([500, 502, 503, 504, 429][at.length % 5], { message: "Service Unavailable" });
				return json(202, deployment.submit("s", body).receipt);
			};
			await clock.wait(windlass.submit("s", { prompt: "p" }), 120_000);
			assert.deepEqual(at.slice(1).map((ms, i) => ms - at[i]), [125, 250, 500, 1000, 2000, 4000, 7500, 7500]);
		},
		{ random: () => 0.5 },
	));

test("an answer that does not come over HTTP is given up after 30 s", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.http[ROUTE] = () => {
			delete deployment.http[ROUTE];
			return new Promise(() => {});
		};
		assert.equal((await clock.wait(windlass.submit("s", { prompt: "p" }), 31_000)).accepted, true);
	}));

for (const [how, start] of [["over HTTP", inWorld], ["over the socket", connected]])
	test(`an id that another prompt has is thrown, ${how}, and not tried again`, () =>
		start(async ({ clock, deployment, windlass }) => {
			deployment.submit("s", { prompt: "another", operationId: "a" });
			const error = await clock.wait(windlass.submit("s", { prompt: "p", operationId: "a" }).catch((e) => e));
			assert.ok(error instanceof WindlassError);
			assert.deepEqual([error.code, error.retryable, error.operationId], ["operation_mismatch", false, "a"]);
			assert.equal(posts(deployment).length + heard(deployment, "submit").length, 1);
		}));

test("an abort ends the trying with its reason; one before it sends nothing", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.http[ROUTE] = () => problem(503, { code: "unavailable", detail: "d", retryable: true });
		const stop = new AbortController();
		const ended = windlass.submit("s", { prompt: "p", signal: stop.signal }).catch((e) => e);
		await clock.pass(1000);
		const reason = new Error("enough");
		stop.abort(reason);
		assert.equal(await clock.wait(ended, 0), reason);
		const sent = deployment.calls.length;
		await assert.rejects(windlass.submit("s", { prompt: "p", signal: stop.signal }), reason);
		await clock.pass(60_000);
		assert.equal(deployment.calls.length, sent);
	}));

test("close() ends the trying, on either way", () =>
	connected(async ({ clock, deployment, windlass }) => {
		deployment.on.submit = () => {};
		deployment.http[ROUTE] = () => new Promise(() => {});
		const ended = ["p", "x".repeat(30_000)].map((prompt) => windlass.submit("s", { prompt }).catch((e) => e.code));
		await clock.pass(100);
		windlass.close();
		assert.deepEqual(await clock.wait(Promise.all(ended), 0), ["closed", "closed"]);
		await assert.rejects(windlass.submit("s", { prompt: "p" }), { code: "closed" });
	}));

test("many submissions at once are each acknowledged", () =>
	connected(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(3));
		const receipts = await clock.wait(Promise.all(Array.from({ length: 40 }, (_, i) => windlass.submit("s", { prompt: `p${i}`, operationId: `o${i}` }))));
		assert.deepEqual(receipts.map((receipt) => receipt.operationId), Array.from({ length: 40 }, (_, i) => `o${i}`));
	}));
