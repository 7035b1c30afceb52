// The one connection: lost, refused, planned to end, dead, or closed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { problem } from "./deployment.mjs";
import { follow, heard, inWorld, settled, story, upTo } from "./world.mjs";

const TICKET = "POST /v1/tickets";
const tickets = ({ calls }) => calls.filter((call) => call.path === "/v1/tickets");

const following = (live, options) =>
	inWorld(async (world) => {
		world.deployment.commit("s", ...story(10));
		const run = follow(world.windlass, "s");
		await world.clock.until(() => run.seqs.length === 10);
		await live({ ...world, run });
	}, options);

test("it connects when something wants it, once for all", () =>
	inWorld(async ({ clock, deployment, windlass, states }) => {
		deployment.commit("s", ...story(1));
		await clock.pass(1000);
		assert.deepEqual([windlass.state.connection, deployment.calls.length], ["idle", 0]);
		const events = [windlass.events("s"), windlass.events("s", { operationId: "op" })];
		await clock.wait(Promise.all([...events.map((e) => e.next()), windlass.snapshot("s")]));
		assert.equal(tickets(deployment).length, 1);
		assert.deepEqual(states, ["connecting", "open"]);
	}));

test("a lost connection is made again, and goes on after the cursor", () =>
	following(async ({ clock, deployment, windlass, run, states }) => {
		deployment.socket.cut();
		assert.deepEqual([windlass.state.connection, windlass.state.attempt, windlass.state.error.code], ["waiting", 1, "network"]);
		assert.equal(windlass.state.retryAt, clock.now + 125);
		deployment.commit("s", ...story(2));
		await clock.until(() => run.seqs.length === 12, 200);
		assert.deepEqual(run.seqs, upTo(12));
		assert.equal(heard(deployment, "subscribe").at(-1).after, 10);
		assert.deepEqual(states, ["connecting", "open", "waiting", "connecting", "open", "open"]);
		assert.equal(windlass.state.attempt, 0);
	}));

test("the pauses between connections grow to 15 s, and Retry-After counts", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const at = [];
		deployment.http[TICKET] = () => {
			if (at.push(clock.now) === 9) return problem(503, { code: "unavailable", detail: "d", retryable: true }, { "Retry-After": "20" });
			throw new TypeError("fetch failed");
		};
		const run = follow(windlass, "s");
		await clock.until(() => at.length === 10, 120_000);
		assert.deepEqual(at.slice(1).map((ms, i) => ms - at[i]), [125, 250, 500, 1000, 2000, 4000, 7500, 7500, 20_000]);
		delete deployment.http[TICKET];
		await clock.until(() => run.seqs.length === 1);
	}));

test("a key that is refused is the end of it", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.revoked = true;
		const run = follow(windlass, "s");
		const snapshot = windlass.snapshot("s").catch((e) => e.code);
		await clock.wait(run.end);
		assert.deepEqual([run.error.code, run.error.status, run.error.traceId, await snapshot], ["unauthorized", 401, "1-2", "unauthorized"]);
		assert.deepEqual([windlass.state.connection, windlass.state.error.code], ["closed", "unauthorized"]);
		await assert.rejects(windlass.events("s").next(), { code: "unauthorized" });
		await assert.rejects(windlass.submit("s", { prompt: "p" }), { code: "unauthorized" });
		await clock.pass(60_000);
		assert.equal(tickets(deployment).length, 1);
	}));

test("a key that is revoked under way is the end of it", () =>
	following(async ({ clock, deployment, windlass, run }) => {
		deployment.socket.say({ type: "closing", code: "unauthorized", resume: [] });
		await clock.wait(run.end);
		assert.deepEqual([run.error.code, windlass.state.error.code, deployment.socket.closed], ["unauthorized", "unauthorized", true]);
	}));

test("at the end of its lifetime a connection is made again at once", () =>
	following(async ({ clock, deployment, run, states }) => {
		const at = clock.now;
		const { socket } = deployment;
		socket.say({ type: "closing", code: "lifetime", resume: [] });
		deployment.commit("s", ...story(1));
		await clock.until(() => run.seqs.length === 11);
		socket.onmessage({ data: '{"v":1,"type":"closing","code":"unauthorized"}' }); // it has no say any more
		socket.onclose({});
		assert.deepEqual([clock.now - at, states.slice(2)], [0, ["connecting", "open"]]);
	}));

test("a server that only says closing is not asked at once for ever", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.on.subscribe = (_, socket) => socket.say({ type: "closing", code: "lifetime", resume: [] });
		follow(windlass, "s");
		await clock.pass(60_000);
		assert.ok(tickets(deployment).length < 15, `${tickets(deployment).length} tickets in a minute`);
	}));

test("a connection that does not open is given up after 10 s", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const run = follow(windlass, "s");
		await clock.until(() => deployment.sockets.length === 1);
		deployment.socket.closed = true; // the network forgot it
		await clock.until(() => run.seqs.length === 1, 11_000);
		assert.equal(deployment.sockets.length, 2);
	}));

test("a pong that is missing for 10 s means that the connection is dead", () =>
	following(async ({ clock, deployment, run }) => {
		deployment.faults.lose = 1;
		deployment.commit("s", ...story(1));
		await clock.pass(24_999);
		assert.equal(deployment.sockets.length, 1);
		deployment.faults.lose = 0;
		await clock.until(() => run.seqs.length === 11, 200);
		assert.equal(deployment.sockets.length, 2);
	}));

test("a ping that is refused is a sign of life", async () => {
	for (const retryable of [true, false])
		await following(async ({ clock, deployment, run }) => {
			deployment.on.ping = ({ id }, socket) => socket.say({ type: "error", code: "unavailable", message: "m", retryable }, id);
			await clock.pass(120_000);
			assert.deepEqual([deployment.sockets.length, run.error, heard(deployment, "ping").length], [1, undefined, 8]);
			deployment.on.ping = (_, socket) => socket.say({ type: "error", code: "unavailable", message: "m", retryable }, "another's");
			await clock.until(() => deployment.sockets.length === 2, 26_000);
		});
});

test("pings go every 15 s while an operation is unsettled, else every 240 s", () =>
	following(async ({ clock, deployment, windlass }) => {
		const pings = () => heard(deployment, "ping").length;
		await clock.pass(60_000);
		assert.equal(pings(), 4);
		deployment.commit("s", settled());
		await clock.pass(239_000);
		assert.equal(pings(), 4);
		await clock.pass(2000);
		assert.equal(pings(), 5);
		deployment.on.submit = ({ id }, socket) => socket.say({ type: "result", receipt: { operationId: "a", sessionId: "s", streamId: "S", accepted: true, status: "queued", after: 11 } }, id);
		await clock.wait(windlass.submit("s", { prompt: "its events are lost", operationId: "a" }));
		await clock.pass(15_000);
		assert.equal(pings(), 6);
		deployment.commit("s", { type: "operation.accepted", operationId: "a" }, settled("a"));
		await clock.wait(windlass.submit("s", { prompt: "its events were faster", operationId: "a" }));
		await clock.pass(239_000);
		assert.equal(pings(), 6);
	}));

test("pingMs says how often", () =>
	following(
		async ({ clock, deployment }) => {
			await clock.pass(1000);
			assert.equal(heard(deployment, "ping").length, 10);
		},
		{ pingMs: { active: 100 } },
	));

test("when the network comes back it connects at once", async () => {
	const page = new EventTarget();
	const listeners = new Set();
	globalThis.addEventListener = (type, listener) => listeners.add(listener) && page.addEventListener(type, listener);
	globalThis.removeEventListener = (type, listener) => listeners.delete(listener) && page.removeEventListener(type, listener);
	try {
		await inWorld(
			async ({ clock, deployment, windlass }) => {
				deployment.commit("s", ...story(1));
				deployment.http[TICKET] = () => Promise.reject(new TypeError("fetch failed"));
				const run = follow(windlass, "s");
				await clock.pass(40_000);
				assert.equal(windlass.state.connection, "waiting");
				delete deployment.http[TICKET];
				page.dispatchEvent(new Event("online"));
				await clock.until(() => run.seqs.length === 1, 0);
				page.dispatchEvent(new Event("online"));
				await clock.pass(1000);
				assert.equal(deployment.sockets.length, 1);
			},
			{ random: () => 0.9 },
		);
		assert.equal(listeners.size, 0, "it listens after close()");
	} finally {
		delete globalThis.addEventListener;
		delete globalThis.removeEventListener;
	}
});

test("what it does not understand is ignored", () =>
	following(async ({ clock, deployment, run }) => {
		const { socket } = deployment;
		for (const data of ["", "null", "[]", "7", "{", '{"v":2,"type":"events"}', '{"v":1}', '{"v":1,"type":"dance"}', '{"v":1,"type":"events","session":"s"}', '{"v":1,"type":"events","session":"s","from":3,"to":1,"events":[]}', '{"v":1,"type":"pong"}', '{"v":1,"type":"caught_up","session":"s"}', '{"v":1,"type":"error","code":"invalid_request","message":"m"}', '{"message":"Internal server error","connectionId":"c","requestId":"r"}', new ArrayBuffer(3)]) socket.onmessage({ data });
		deployment.commit("s", ...story(1));
		await clock.until(() => run.seqs.length === 11);
		assert.equal(deployment.sockets.length, 1);
	}));

test("close() ends iterators and snapshots, and all that is called later", () =>
	following(async ({ clock, deployment, windlass, run, states }) => {
		deployment.on.snapshot = () => {};
		const pending = [windlass.snapshot("s"), windlass.request("GET", "/v1/sessions")].map((call) => call.catch((e) => e.code));
		await clock.pass(10);
		windlass.close();
		windlass.close();
		assert.deepEqual([await run.end, run.error.code], [true, "closed"]);
		assert.equal((await clock.wait(Promise.all(pending)))[0], "closed");
		assert.deepEqual([windlass.state.connection, windlass.state.error, deployment.socket.closed, states.at(-1)], ["closed", undefined, true, "closed"]);
		for (const call of [windlass.events("s").next(), windlass.snapshot("s"), windlass.request("GET", "/healthz")]) await assert.rejects(call, { code: "closed" });
	}));

test("close() while it connects", async () => {
	for (const ms of [0, 1, 2, 3])
		await inWorld(async ({ clock, deployment, windlass }) => {
			deployment.faults.lateMs = 4;
			const run = follow(windlass, "s");
			await clock.pass(ms);
			windlass.close();
			await clock.wait(run.end);
			assert.equal(run.error.code, "closed");
			await clock.pass(10_000);
			assert.ok(deployment.sockets.every((socket) => socket.closed));
		});
});

test("a connection that nobody wants is not made again", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const events = windlass.events("s");
		await clock.wait(events.next());
		await events.return();
		await clock.pass(1);
		deployment.socket.cut();
		await clock.pass(60_000);
		assert.deepEqual([windlass.state.connection, deployment.sockets.length], ["idle", 1]);
		await clock.wait(windlass.snapshot("s"));
		assert.equal(deployment.sockets.length, 2);
	}));

test("nor is one that nobody wants any more by the time", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const events = windlass.events("s");
		await clock.wait(events.next());
		deployment.socket.cut();
		await events.return();
		await clock.pass(60_000);
		assert.deepEqual([windlass.state.connection, tickets(deployment).length], ["idle", 1]);
	}));

test("a snapshot alone is reason enough to try again", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.http[TICKET] = () => {
			delete deployment.http[TICKET];
			throw new TypeError("fetch failed");
		};
		assert.equal((await clock.wait(windlass.snapshot("s"))).asOfSeq, 0);
	}));

test("without WebSocket it says so, and submits by HTTP", () =>
	inWorld(
		async ({ clock, windlass }) => {
			await assert.rejects(windlass.events("s").next(), { code: "unsupported" });
			await assert.rejects(windlass.snapshot("s"), { code: "unsupported" });
			assert.equal((await clock.wait(windlass.submit("s", { prompt: "p" }))).accepted, true);
		},
		{ WebSocket: null },
	));
