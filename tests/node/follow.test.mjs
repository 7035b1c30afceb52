// Following a session: gaps, filters, shared subscriptions, slow consumers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { json, problem } from "./deployment.mjs";
import { follow, heard, inWorld, settled, story, upTo } from "./world.mjs";

/** A world whose client follows a session of ten events and has them all. */
const following = (live, options) =>
	inWorld(async (world) => {
		world.deployment.commit("s", ...story(10));
		const run = follow(world.windlass, "s");
		await world.clock.until(() => run.seqs.length === 10);
		await live({ ...world, run });
	}, options);

const afters = (deployment) => heard(deployment, "subscribe").map((frame) => frame.after);

test("what is there and what comes is shown, from a seq on", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(10));
		const run = follow(windlass, "s", { after: 4 });
		await clock.until(() => run.seqs.length === 6);
		deployment.commit("s", ...story(3));
		await clock.until(() => run.seqs.length === 9);
		assert.deepEqual(run.events, deployment.logs.get("s").slice(4));
		assert.deepEqual(afters(deployment), [4]);
	}));

test("a gap that stays half a second is asked for; one that is filled is not", () =>
	following(async ({ clock, deployment, run }) => {
		deployment.faults.lose = 1;
		deployment.commit("s", ...story(2));
		deployment.faults.lose = 0;
		deployment.commit("s", ...story(2));
		await clock.pass(499);
		assert.deepEqual([run.seqs.length, afters(deployment)], [10, [0]]);
		await clock.pass(2);
		assert.deepEqual([run.seqs, afters(deployment)], [upTo(14), [0, 10]]);
		const { socket } = deployment;
		deployment.commit("s", ...story(1));
		socket.rows.clear();
		deployment.commit("s", ...story(2));
		socket.say(socket.frame({ session: "s" }, 17, 17));
		await clock.pass(400);
		socket.say(socket.frame({ session: "s" }, 16, 16));
		await clock.pass(5000);
		assert.deepEqual([run.seqs, afters(deployment)], [upTo(17), [0, 10]]);
	}));

test("a pong with a higher head is a gap", () =>
	following(async ({ clock, deployment, run }) => {
		deployment.faults.lose = 1;
		deployment.commit("s", ...story(1));
		deployment.faults.lose = 0;
		await clock.pass(15_600);
		assert.deepEqual([run.seqs, afters(deployment)], [upTo(11), [0, 10]]);
	}));

test("a pong without the session means that the server lost the subscription", () =>
	following(async ({ clock, deployment, run }) => {
		deployment.socket.rows.clear();
		deployment.commit("s", ...story(1));
		await clock.pass(15_100);
		assert.deepEqual([run.seqs, afters(deployment)], [upTo(11), [0, 10]]);
	}));

test("a backlog that comes in parts is asked for at once", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		Object.assign(deployment.faults, { page: 20, part: 60 }); // half of it each time
		deployment.commit("s", ...story(100));
		const run = follow(windlass, "s");
		await clock.until(() => run.seqs.length === 100, 0);
		assert.deepEqual(afters(deployment), [0, 30, 60, 90]);
	}));

test("a subscribe in silence is sent again after 10 s, then with back-off", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const at = [];
		deployment.on.subscribe = () => at.push(clock.now);
		const run = follow(windlass, "s");
		await clock.until(() => at.length === 3);
		assert.deepEqual(at.slice(1).map((ms, i) => ms - at[i]), [10_125, 10_250]);
		delete deployment.on.subscribe;
		await clock.until(() => run.seqs.length === 1);
	}));

test("silence is counted from the last frame", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(4));
		deployment.on.subscribe = ({ id }, socket) => {
			for (const seq of [1, 2, 3, 4]) clock.at(seq * 6000, () => socket.say(socket.frame({ session: "s" }, seq, seq)));
			clock.at(25_000, () => socket.say({ type: "caught_up", session: "s", seq: 4, head: 4 }, id));
			socket.rows.set("s", { session: "s" });
		};
		const run = follow(windlass, "s");
		await clock.pass(60_000);
		assert.deepEqual([run.seqs, afters(deployment)], [upTo(4), [0]]);
	}));

test("a session that is busy does not hide that a subscribe is not answered", () =>
	following(async ({ clock, deployment, run }) => {
		deployment.faults.lose = 1;
		deployment.commit("s", ...story(1));
		deployment.faults.lose = 0;
		const at = [];
		deployment.on.subscribe = () => at.push(clock.now);
		for (let s = 1; s <= 15; s++) clock.at(s * 1000, () => deployment.commit("s", ...story(1)));
		await clock.until(() => at.length === 2, 13_000);
		assert.equal(at[1] - at[0], 10_125);
		delete deployment.on.subscribe;
		await clock.until(() => run.seqs.length === 26);
		assert.deepEqual(run.seqs, upTo(26));
	}));

test("nor does an iterator that goes on hide that another one waits", () =>
	following(async ({ clock, deployment, windlass, run }) => {
		deployment.on.subscribe = () => {};
		const late = follow(windlass, "s");
		for (let s = 1; s <= 15; s++) clock.at(s * 1000, () => deployment.commit("s", ...story(1)));
		await clock.pass(1000);
		delete deployment.on.subscribe;
		await clock.pass(9000);
		assert.deepEqual([run.seqs.length, late.seqs.length], [20, 0]);
		await clock.pass(200);
		assert.deepEqual(late.seqs, upTo(20));
	}));

test("while a subscribe is on its way a gap is expected, and only its own caught_up ends that", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(10));
		deployment.on.subscribe = () => {};
		follow(windlass, "s", { after: 5 });
		await clock.until(() => afters(deployment).length === 1);
		const { socket } = deployment;
		follow(windlass, "s", { after: 2 });
		await clock.pass(0);
		socket.say({ type: "caught_up", session: "s", seq: 10, head: 10 }, heard(deployment, "subscribe")[0].id);
		socket.say(socket.frame({ session: "s" }, 9, 9));
		await clock.pass(9000);
		assert.deepEqual(afters(deployment), [5, 2]);
		await clock.pass(2000);
		assert.deepEqual(afters(deployment), [5, 2, 2]);
	}));

test("a caught_up that brings nothing is not answered at once for ever", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		deployment.on.subscribe = ({ id }, socket) => {
			if (afters(deployment).length > 100) delete deployment.on.subscribe;
			socket.say({ type: "caught_up", session: "s", seq: 1, head: 1 }, id);
		};
		follow(windlass, "s");
		await clock.pass(10_000);
		assert.ok(afters(deployment).length < 10, `${afters(deployment).length} subscribes`);
	}));

test("a subscribe that may succeed later is sent again", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		deployment.on.subscribe = ({ id }, socket) => {
			delete deployment.on.subscribe;
			socket.say({ type: "error", code: "unavailable", message: "m", retryable: true }, id);
		};
		const run = follow(windlass, "s");
		await clock.until(() => run.seqs.length === 1, 1000);
	}));

test("not_found ends the iterators of that subscription, and no other", () =>
	following(async ({ clock, deployment, windlass, run }) => {
		const none = follow(windlass, "none");
		await clock.wait(none.end);
		assert.deepEqual([none.error.code, none.error.message], ["not_found", "no such session"]);
		deployment.commit("s", ...story(1));
		await clock.until(() => run.seqs.length === 11);
	}));

test("with an operation id it shows that operation, and ends after its last event", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		for (const last of ["completed", "failed", "cancelled"]) {
			deployment.commit(last, ...story(2, "other"), ...story(2, "mine"), settled("other"));
			const run = follow(windlass, last, { operationId: "mine" });
			await clock.until(() => run.seqs.length === 2);
			assert.equal(run.ended, false);
			deployment.commit(last, { type: `operation.${last}`, operationId: "mine" });
			await clock.wait(run.end);
			assert.deepEqual([run.seqs, run.error], [[3, 4, 6], undefined]);
		}
		await clock.pass(1);
		assert.equal(deployment.socket.rows.size, 0);
	}));

test("iterators of one session share a subscription, which ends with the last", () =>
	following(async ({ clock, deployment, windlass }) => {
		const other = windlass.events("s", { after: 8 });
		assert.equal((await clock.wait(other.next())).value.seq, 9);
		assert.equal(deployment.socket.rows.size, 1);
		await other.return();
		await clock.pass(1);
		assert.equal(heard(deployment, "unsubscribe").length, 0);
		const mine = windlass.events("t");
		deployment.commit("t", ...story(1));
		await clock.wait(mine.next());
		const waiting = mine.next();
		await mine.return();
		assert.deepEqual(await clock.wait(waiting, 0), { done: true, value: undefined });
		await clock.pass(1);
		assert.deepEqual(heard(deployment, "unsubscribe").map((frame) => frame.session), ["t"]);
		assert.deepEqual(await mine.next(), { done: true, value: undefined });
	}));

/** Leaves a session of one event and comes back; the unsubscribe is as it is told to be. */
const back = (unsubscribe, live) =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const first = windlass.events("s");
		await clock.wait(first.next());
		deployment.on.unsubscribe = unsubscribe(clock);
		await first.return();
		const run = follow(windlass, "s", { after: 1 });
		await clock.pass(0);
		await live({ clock, deployment, run });
	});

test("who leaves and comes back is not unsubscribed by what is read late", () =>
	back(
		(clock) => (frame, socket) => clock.at(300, () => socket._unsubscribe(frame)),
		async ({ clock, deployment, run }) => {
			assert.deepEqual(afters(deployment), [0]);
			await clock.pass(301);
			assert.deepEqual(afters(deployment), [0, 1]);
			deployment.commit("s", ...story(1));
			await clock.pass(1);
			assert.deepEqual(run.seqs, [2]);
		},
	));

test("nor waits for an unsubscribe that is refused, or not answered for 10 s", async () => {
	await back(
		() => ({ id }, socket) => socket.say({ type: "error", code: "unavailable", message: "m", retryable: true }, id),
		async ({ deployment }) => assert.deepEqual(afters(deployment), [0, 1]),
	);
	await back(
		() => () => {},
		async ({ clock, deployment }) => {
			await clock.pass(9999);
			assert.deepEqual(afters(deployment), [0]);
			await clock.pass(2);
			assert.deepEqual(afters(deployment), [0, 1]);
		},
	);
	await back(
		() => () => {},
		async ({ clock, deployment }) => {
			deployment.socket.cut();
			await clock.pass(200);
			assert.deepEqual([deployment.sockets.length, afters(deployment)], [2, [0, 1]]);
		},
	);
});

test("who leaves, comes and leaves again has sent one unsubscribe, and nothing is left of it", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const first = windlass.events("s");
		await clock.wait(first.next());
		deployment.on.unsubscribe = (frame, socket) => clock.at(100, () => socket._unsubscribe(frame));
		await first.return();
		const second = windlass.events("s");
		const none = second.next();
		await clock.pass(50);
		await second.return();
		assert.equal((await clock.wait(none, 0)).done, true);
		await clock.pass(1000);
		assert.deepEqual([heard(deployment, "unsubscribe").length, afters(deployment), deployment.socket.rows.size], [1, [0], 0]);
	}));

test("an iterator that is never read costs nothing", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		await windlass.events("s").return();
		await clock.pass(1000);
		assert.equal(deployment.calls.length, 0);
	}));

test("next() called ahead gives the events in order", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(3), settled());
		const events = windlass.events("s", { operationId: "op" });
		const all = await clock.wait(Promise.all(Array.from({ length: 6 }, () => events.next())));
		assert.deepEqual(all.map(({ value }) => value?.seq), [1, 2, 3, 4, undefined, undefined]);
	}));

test("an abort throws its reason, and unsubscribes", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const stop = new AbortController();
		const run = follow(windlass, "s", { signal: stop.signal });
		await clock.until(() => run.seqs.length === 1);
		stop.abort();
		await clock.wait(run.end);
		assert.equal(run.error, stop.signal.reason);
		await clock.pass(1);
		assert.equal(deployment.socket.rows.size, 0);
		await assert.rejects(windlass.events("s", { signal: stop.signal }).next(), { name: "AbortError" });
	}));

test("a large event is fetched, in its place, until it comes", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(2), { type: "tool.completed", operationId: "op", data: { output: "large" }, large: true }, settled());
		let failed = 0;
		deployment.http["GET /v1/sessions/s/events"] = () => {
			if (++failed === 3) delete deployment.http["GET /v1/sessions/s/events"];
			return failed === 2 ? json(200, { events: [{ seq: 2 }], lastSeq: 4 }) : problem(503, { code: "unavailable", detail: "d", retryable: true });
		};
		const run = follow(windlass, "s", { operationId: "op" });
		await clock.wait(run.end);
		assert.deepEqual(run.events, deployment.logs.get("s"));
		assert.equal(failed, 3);
	}));

test("a large event that cannot be had is thrown", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", { type: "tool.completed", large: true });
		deployment.http["GET /v1/sessions/s/events"] = () => problem(404, { code: "not_found", detail: "gone", retryable: false });
		const run = follow(windlass, "s");
		await clock.wait(run.end);
		assert.equal(run.error.code, "not_found");
	}));

test("a path of another host is not fetched with the key", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(1));
		const run = follow(windlass, "s");
		await clock.until(() => run.seqs.length === 1);
		deployment.socket.say({ type: "events", session: "s", from: 2, to: 2, events: [{ seq: 2, type: "t", fetch: "@elsewhere.test/" }] });
		await clock.wait(run.end);
		assert.deepEqual([run.error.code, deployment.calls.length], ["invalid_request", 1]);
	}));

test("2,000 events wait for a slow consumer; the rest is asked for when half are taken", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(5000));
		const events = windlass.events("s");
		await clock.wait(events.next());
		await clock.pass(60_000);
		assert.deepEqual(afters(deployment), [0]);
		const seqs = [1];
		const take = async () => seqs.push((await clock.wait(events.next())).value.seq);
		for (let i = 0; i < 900; i++) await take();
		assert.deepEqual(afters(deployment), [0]);
		const at = clock.now;
		while (seqs.length < 5000) await take();
		assert.deepEqual([seqs, clock.now - at], [upTo(5000), 0]);
		assert.ok(afters(deployment).length <= 5 && afters(deployment)[1] <= 2001, `${afters(deployment)}`);
	}));

test("a slow consumer does not hold up another one", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(5000));
		await clock.wait(windlass.events("s").next());
		const run = follow(windlass, "s");
		await clock.until(() => run.seqs.length === 5000);
		deployment.commit("s", ...story(1));
		await clock.until(() => run.seqs.length === 5001);
		deployment.socket.cut();
		await clock.until(() => deployment.sockets.length === 2 && deployment.socket.heard.length > 0);
		assert.deepEqual(deployment.socket.heard.map((frame) => frame.after), [5001]);
	}));
