// Plain requests, snapshots, and what a page hears of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Windlass, WindlassError } from "../../functions/internal/console/assets/windlass.js";
import { json, KEY, problem, URL_ } from "./deployment.mjs";
import { follow, inWorld, story } from "./world.mjs";

const ROUTE = "PUT /v1/x";
const send = async ({ clock, deployment, windlass }, answer, options) => {
	deployment.http[ROUTE] = answer;
	return clock.wait(windlass.request("PUT", "/v1/x", options).catch((error) => error));
};

test("JSON goes out and comes in, with the key", () =>
	inWorld(async (world) => {
		assert.deepEqual(await send(world, () => json(200, { a: 1 }), { body: { b: 2 }, headers: { "If-Match": '"e"' } }), { a: 1 });
		const [{ body, headers }] = world.deployment.calls;
		assert.deepEqual([body, headers], [{ b: 2 }, { "Content-Type": "application/json", "If-Match": '"e"', Authorization: `Bearer ${KEY}` }]);
		assert.equal(await send(world, () => new Response(null, { status: 204 })), undefined);
	}));

test("another body goes as it is, and raw gives the response", () =>
	inWorld(async (world) => {
		const response = await send(world, () => new Response("bytes", { headers: { ETag: '"e"' } }), { body: '"text"', headers: { "Content-Type": "text/plain" }, raw: true });
		assert.deepEqual([response.headers.get("ETag"), await response.text()], ['"e"', "bytes"]);
		assert.equal(world.deployment.calls[0].headers["Content-Type"], "text/plain");
	}));

test("a problem is thrown with all that it says", () =>
	inWorld(async (world) => {
		const error = await send(world, () => problem(429, { code: "queue_full", detail: "d", retryable: true, traceId: "1-2", operationId: "o" }), { raw: true });
		assert.ok(error instanceof WindlassError);
		assert.deepEqual({ ...error }, { name: "WindlassError", code: "queue_full", status: 429, retryable: true, traceId: "1-2", operationId: "o", retryAfterMs: 0 });
		assert.equal(error.message, "d");
	}));

for (const [status, body, code, retryable] of [
	[500, '{"message":"Internal Server Error"}', "unavailable", true],
	[503, "", "unavailable", true],
	[429, "null", "unavailable", true],
	[403, '{"message":"Forbidden"}', "unauthorized", false],
	[404, "<html>", "not_found", false],
	[413, "[]", "too_large", false],
	[400, "7", "invalid_request", false],
])
	test(`${status} without a problem is ${code}`, () =>
		inWorld(async (world) => {
			const error = await send(world, () => new Response(body, { status }));
			assert.deepEqual([error.code, error.retryable, error.status], [code, retryable, status]);
			assert.notEqual(error.message, "");
		}));

test("no answer, and one that is no JSON, may be tried again", () =>
	inWorld(async (world) => {
		const none = await send(world, () => Promise.reject(new TypeError("fetch failed")));
		assert.deepEqual([none.code, none.retryable, none.cause.message], ["network", true, "fetch failed"]);
		const html = await send(world, () => new Response("<html>"));
		assert.deepEqual([html.code, html.retryable], ["unreadable", true]);
		assert.ok(!`${none.stack}${html.stack}`.includes(KEY));
	}));

test("an abort is thrown as its reason", () =>
	inWorld(async (world) => {
		const stop = new AbortController();
		const error = send(world, () => new Promise(() => {}), { signal: stop.signal });
		stop.abort("enough");
		assert.equal(await error, "enough");
	}));

test("a path that names another host is refused", () =>
	inWorld(async ({ deployment, windlass }) => {
		for (const path of ["@elsewhere.test/", ".elsewhere.test/", ":80/", "", "//elsewhere.test/", "/\\elsewhere.test/"]) await assert.rejects(windlass.request("GET", path), { code: "invalid_request" });
		assert.equal(deployment.calls.length, 0);
	}));

test("a page that gives no url asks its own origin, whatever the path looks like", async () => {
	globalThis.location = { origin: URL_ };
	try {
		await inWorld(
			async (world) => {
				const { deployment, windlass } = world;
				for (const path of ["//elsewhere.test/", "/\\elsewhere.test/", "\\\\elsewhere.test/", "/\t/elsewhere.test/", "/\n\\elsewhere.test/", "\t//elsewhere.test/", "https://elsewhere.test/", ""])
					await assert.rejects(windlass.request("GET", path), { code: "invalid_request" }, JSON.stringify(path));
				assert.equal(deployment.calls.length, 0);
				assert.deepEqual(await send(world, () => json(200, { a: 1 })), { a: 1 });
				assert.deepEqual(deployment.calls.map((call) => call.path), ["/v1/x"]);
			},
			{ url: "" },
		);
	} finally {
		delete globalThis.location;
	}
});

test("a url or a key that cannot be is refused, and the key not shown", () => {
	for (const key of ["", "with space", "line\nbreak", undefined])
		assert.throws(
			() => new Windlass({ url: "http://a.test", key }),
			(error) => error.code === "invalid_request" && !(key && error.message.includes(key)),
		);
	for (const url of ["ftp://a.test", "http://a.test/v1", "a.test", "http://user@a.test", undefined]) assert.throws(() => new Windlass({ url, key: KEY }), { code: "invalid_request" });
	for (const url of ["http://a.test", "https://a.test:8/", ""]) new Windlass({ url, key: KEY }).close();
});

test("a snapshot is answered, refused, or asked for again", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		deployment.commit("s", ...story(3));
		assert.deepEqual(await clock.wait(windlass.snapshot("s")), { operations: [], asOfSeq: 3 });
		deployment.on.snapshot = ({ id }, socket) => socket.say({ type: "error", code: "not_found", message: "m", retryable: false }, id);
		await assert.rejects(clock.wait(windlass.snapshot("s")), { code: "not_found", message: "m" });
		deployment.on.snapshot = (_, socket) => {
			delete deployment.on.snapshot;
			socket.cut();
		};
		assert.equal((await clock.wait(windlass.snapshot("s"))).asOfSeq, 3);
	}));

test("a page hears of seqs, heads and previews", () =>
	inWorld(async ({ clock, deployment, windlass }) => {
		const heard = [];
		for (const type of ["seq", "preview"]) windlass.addEventListener(type, ({ detail }) => heard.push(detail));
		deployment.commit("s", ...story(3));
		follow(windlass, "s", { after: 1 });
		await clock.pass(10);
		deployment.socket.say({ type: "preview", session: "s", operationId: "op", round: 1, attempt: 1, run: 1, kind: "text", offset: 0, text: "so far" });
		deployment.socket.say({ type: "pong", heads: { s: 5 } });
		await clock.pass(10);
		assert.deepEqual(heard, [
			{ session: "s", seq: 3, head: 3 },
			{ session: "s", operationId: "op", round: 1, attempt: 1, run: 1, text: "so far", textFrom: 0, reasoning: "", reasoningFrom: 0, gap: false, ended: false },
			{ session: "s", seq: 3, head: 5 },
		]);
	}));
