// A deployment in memory: HTTP, sockets and a log, with the faults that it is told
// to have. It accuses: a client that breaks the protocol makes it throw, which the
// test reads from `accused`.
import { FakeSocket } from "./socket.mjs";

export const KEY = "wl_a-key-of-the-tests";
export const URL_ = "http://windlass.test";

const SOUND = { lose: 0, double: 0, lateMs: 0, mute: 0, muteSubscribes: 0, http: 0, page: 100, part: 1e9, lifeMs: 0, fetch: 0 };

export class Deployment {
	/** session → events */
	logs = new Map();
	sockets = [];
	calls = [];
	accused = [];
	/** how many subscribes were */
	unanswered = 0;
	tickets = new Set();
	/** message id → {text, receipt} */
	messages = new Map();
	revoked = false;
	/** "POST /v1/tickets" → (call) => Response: in place of what the route does */
	http = {};
	/** frame type → (frame, socket): in place of what the frame does */
	on = {};

	constructor(clock, random = () => 0.5, faults = {}) {
		this.clock = clock;
		this.random = random;
		this.faults = { ...SOUND, ...faults };
		const deployment = this;
		this.WebSocket = class extends FakeSocket {
			constructor(url) {
				super(deployment, url);
			}
		};
		this.fetch = (url, init) => this.#fetch(url, init);
	}

	get options() {
		return { url: URL_, key: KEY, fetch: this.fetch, WebSocket: this.WebSocket, random: this.random };
	}

	get socket() {
		return this.sockets.at(-1);
	}

	chance(p) {
		return p > 0 && this.random() < p;
	}

	accuse(condition, what) {
		if (!condition) this.accused.push(what);
	}

	/** Appends to a session's log, and tells whoever subscribes. */
	commit(session, ...entries) {
		const log = this.logs.get(session) ?? [];
		this.logs.set(session, log);
		const from = log.length + 1;
		for (const entry of entries) log.push({ seq: log.length + 1, v: 1, at: "2026-11-30T10:41:05.361607Z", data: {}, ...entry });
		for (const socket of this.sockets) socket.publish(session, from, log.length);
	}

	/** An operation is accepted once. */
	submit(session, { prompt, operationId }) {
		const log = this.logs.get(session) ?? [];
		const at = log.findIndex((event) => event.operationId === operationId);
		if (at >= 0 && log[at].data.prompt !== prompt) return { error: { code: "operation_mismatch", message: "taken", retryable: false } };
		if (at < 0) this.commit(session, { type: "operation.accepted", operationId, data: { prompt } });
		const after = at < 0 ? this.logs.get(session).length - 1 : at;
		return { receipt: { operationId, sessionId: session, streamId: "S", accepted: at < 0, status: "queued", after } };
	}

	/** A message is said once. To an operation that is settled it is one of its own. */
	steer(session, operationId, { text, messageId }) {
		const known = this.messages.get(messageId);
		if (known) return known.text === text ? { receipt: { ...known.receipt, accepted: false } } : { error: { code: "operation_mismatch", message: "taken", retryable: false } };
		if (this.status(session, operationId) !== "running") return this.submit(session, { prompt: text, operationId: messageId });
		this.commit(session, { type: "message.steered", operationId, data: { text } });
		const receipt = { operationId, sessionId: session, streamId: "S", accepted: true, status: "running", after: this.logs.get(session).length - 1, steered: true };
		this.messages.set(messageId, { text, receipt });
		return { receipt };
	}

	/** Cancelling again changes nothing. */
	cancel(session, operationId) {
		if (this.status(session, operationId) === "running") this.commit(session, { type: "operation.cancel_requested", operationId }, cancelled(operationId));
		return { operationId, sessionId: session, status: this.status(session, operationId) };
	}

	/** A call that waits is decided about once; the same again is as once. */
	decide(session, operationId, verb, step, { decision, outcome, result, ...rest }) {
		const [round, index] = step.split(".").map(Number);
		const of = (type) => (this.logs.get(session) ?? []).find((event) => event.type === type && event.operationId === operationId && event.round === round && event.data.index === index);
		if (!of("approval.requested") || (verb === "reconcile") !== (of("approval.requested").data.reason === "unknown_outcome")) return { error: { code: "not_found", status: 404 } };
		const made = { index, decision: decision ?? outcome, ...rest, ...(result !== undefined && { output: result }) };
		const known = of("approval.resolved")?.data;
		if (known && JSON.stringify(known) !== JSON.stringify(made)) return { error: { code: known.decision === "expired" ? "approval_expired" : "approval_resolved", status: 409 } };
		if (!known) this.commit(session, { type: "approval.resolved", operationId, round, data: made });
		return { snapshot: { operationId, sessionId: session, status: "running" } };
	}

	status(session, operationId) {
		const end = (this.logs.get(session) ?? []).find((event) => event.operationId === operationId && /^operation\.(completed|failed|cancelled)$/.test(event.type));
		return end ? end.type.slice("operation.".length) : "running";
	}

	async #fetch(url, { method, headers, body, signal }) {
		this.accuse(!url.includes(KEY), "the key is in a URL");
		this.accuse(headers.Authorization === `Bearer ${KEY}`, "a request has no key");
		const call = { method, path: url.slice(URL_.length), body: body && JSON.parse(body), text: body, headers };
		this.calls.push(call);
		await this.clock.sleep(this.random() * this.faults.lateMs);
		if (signal.aborted) throw signal.reason;
		const route = `${method} ${call.path.split("?")[0]}`;
		if (this.http[route]) return this.http[route](call, signal);
		if (this.chance(this.faults.http)) return this.#fails();
		if (this.revoked) return problem(401, { code: "unauthorized", detail: "send a valid API key", retryable: false, traceId: "1-2" });
		return this.#route(route, call);
	}

	#fails() {
		if (this.chance(0.5)) throw new TypeError("fetch failed");
		return problem(503, { code: "unavailable", detail: "out of reach", retryable: true, traceId: "1-2" }, { "Retry-After": "1" });
	}

	#route(route, { path, body }) {
		if (route === "POST /v1/tickets") return json(201, { ticket: "t", url: this.#ticket(), expiresAt: "" });
		const [, , , session, kind, operation, verb, step] = path.split("?")[0].split("/").map(decodeURIComponent);
		if (verb === "cancel") return json(200, this.cancel(session, operation));
		if (verb === "approvals" || verb === "reconcile") return this.#decided(this.decide(session, operation, verb, step, body));
		if (verb === "steer") return this.#submitted(this.steer(session, operation, body));
		if (route.startsWith("POST") && kind === "operations") return this.#submitted(this.submit(session, body));
		const query = new URLSearchParams(path.split("?")[1]);
		const log = this.logs.get(session);
		if (!log) return problem(404, { code: "not_found", detail: "no such session", retryable: false, traceId: "1-2" });
		const after = Number(query.get("after"));
		return json(200, { events: log.slice(after, after + Number(query.get("limit") ?? 200)), lastSeq: log.length });
	}

	#decided({ snapshot, error }) {
		return error ? problem(error.status, { code: error.code, detail: error.code, retryable: false, traceId: "1-2" }) : json(200, snapshot);
	}

	#submitted({ receipt, error }) {
		if (error) return problem(422, { ...error, detail: error.message, traceId: "1-2" });
		return json(receipt.accepted ? 202 : 200, receipt);
	}

	#ticket() {
		const url = `ws://windlass.test/live?ticket=${this.tickets.size}-${this.calls.length}`;
		this.tickets.add(url);
		return url;
	}
}

export const cancelled = (operationId = "op") => ({ type: "operation.cancelled", operationId, data: { usage: {} } });

export const json = (status, body, headers) => new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

export const problem = (status, body, headers) => json(status, { type: "about:blank", title: "t", status, ...body }, headers);
