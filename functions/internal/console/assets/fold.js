// fold.js says what the events of a session come to: operations, their rounds, and
// the model's and tools' calls in them. It is pure: no page, no clock, no network.
// An event type that it does not know changes nothing.

import { nothing, spend } from "./cost.js";
import { instant } from "./format.js";

/** @typedef {{seq: number, type: string, v: number, at: string, operationId?: string, round?: number, data: any}} Event */

/** Whether a status is one from which nothing follows. */
export const settled = (status) => status === "completed" || status === "failed" || status === "cancelled";

/** Whether an event ends its operation. */
export const terminal = (type) => type === "operation.completed" || type === "operation.failed" || type === "operation.cancelled";

/** Operations by id, in the order in which they were accepted. */
export class Fold {
	constructor() {
		/** @type {Map<string, any>} */
		this.operations = new Map();
		this.lastSeq = 0;
	}

	/** Takes the next event, and gives the operation that it belongs to, if any. */
	apply(/** @type {Event} */ event) {
		this.lastSeq = event.seq;
		if (!event.operationId) {
			return undefined;
		}
		let operation = this.operations.get(event.operationId);
		if (!operation) {
			operation = newOperation(event);
			this.operations.set(event.operationId, operation);
		}
		operation.lastSeq = event.seq;
		operation.lastAt = instant(event.at);
		operation.usage = spend(operation.usage, event);
		apply[event.type]?.(operation, event);
		if (operation.status === "running" || operation.status === "waiting") {
			operation.status = waits(operation) ? "waiting" : "running";
		}
		return operation;
	}
}

function newOperation(event) {
	return {
		id: event.operationId, agent: "", prompt: undefined, status: "running", firstSeq: event.seq, lastSeq: event.seq,
		acceptedAt: instant(event.at), startedAt: undefined, settledAt: undefined, lastAt: 0, round: 0, rounds: new Map(), resumed: [],
		cancelling: false, output: undefined, stop: undefined, error: undefined, usage: nothing(),
		joined: event.type !== "operation.accepted", // its first events were not seen: what it has used is more
	};
}

function roundOf(operation, event) {
	const n = event.round ?? 0;
	operation.round = Math.max(operation.round, n);
	if (!operation.rounds.has(n)) {
		operation.rounds.set(n, { n, attempts: [], calls: new Map() });
	}
	return operation.rounds.get(n);
}

function attemptOf(operation, event) {
	const round = roundOf(operation, event);
	let attempt = round.attempts.find((a) => a.n === event.data.attempt);
	if (!attempt) {
		attempt = { n: event.data.attempt, model: "", purpose: "", startedAt: instant(event.at), endedAt: undefined, usage: undefined, cost: undefined, cacheMiss: undefined, error: undefined, retryAt: undefined };
		round.attempts.push(attempt);
	}
	return attempt;
}

/** A call's identity is (operation, round, index): providers repeat their own ids. */
function callOf(operation, event, index) {
	const { calls } = roundOf(operation, event);
	if (!calls.has(index)) {
		calls.set(index, { index, name: "", arguments: undefined, startedAt: undefined, endedAt: undefined, output: undefined, error: undefined, unknownAt: undefined, unknownSeq: undefined, deferred: false, child: undefined, asked: false, edited: undefined, asks: [] });
	}
	return calls.get(index);
}

// childOf: its beginning may not have been seen.
function childOf(operation, event, end) {
	const call = callOf(operation, event, event.data.index);
	call.child = { session: "", agent: "", startedAt: undefined, ...call.child, ...end, endedAt: instant(event.at) };
}

// waits: a person was asked, and until there is an answer nothing else can be done.
function waits({ cancelling, rounds, round }) {
	const now = rounds.get(round);
	const calls = [...(now?.calls.values() ?? [])];
	const open = (call) => !call.asked && !elsewhere(call) && call.output === undefined && !call.error;
	return !cancelling && calls.some((call) => call.asked) && !calls.some(open);
}

// elsewhere: nothing of it runs here, as another agent or a callback is waited for.
const elsewhere = ({ child, deferred }) => deferred || (child && !child.endedAt);

/** Whether a person is asked about one of an operation's calls. */
export const asking = ({ cancelling, status, rounds, round }) => !cancelling && !settled(status) && [...(rounds.get(round)?.calls.values() ?? [])].some((call) => call.asked);

const apply = {
	"operation.accepted"(o, e) {
		o.agent = e.data.agent.name;
		o.prompt = e.data.prompt;
		o.preview = e.data.preview;
		o.status = "queued";
	},
	"operation.started"(o, e) {
		o.startedAt = instant(e.at);
		o.status = "running";
	},
	"operation.resumed"(o, e) {
		o.resumed.push({ ...e.data, seq: e.seq, at: instant(e.at), round: o.round });
	},
	"operation.completed"(o, e) {
		settle(o, e, "completed");
		o.output = e.data.output;
		o.stop = e.data.stop;
	},
	"operation.failed"(o, e) {
		settle(o, e, "failed");
		o.error = e.data.error;
	},
	"operation.cancel_requested"(o) {
		o.cancelling = true;
	},
	"operation.cancelled"(o, e) {
		settle(o, e, "cancelled");
	},
	"model.started"(o, e) {
		const attempt = attemptOf(o, e);
		attempt.model = e.data.model;
		attempt.purpose = e.data.purpose ?? "";
	},
	"model.completed"(o, e) {
		const attempt = attemptOf(o, e);
		attempt.model = e.data.model ?? attempt.model;
		attempt.cacheMiss = e.data.cacheMiss;
		ends(attempt, e);
		for (const { call } of e.data.items.filter((item) => item.call)) {
			Object.assign(callOf(o, e, call.index), { name: call.name, arguments: call.arguments });
		}
	},
	"model.failed"(o, e) {
		const attempt = attemptOf(o, e);
		ends(attempt, e);
		attempt.error = e.data.error;
		attempt.retryAt = e.data.retryAt && instant(e.data.retryAt);
	},
	"transcript.compacted"(o, e) {
		const attempt = roundOf(o, e).attempts.findLast((a) => a.purpose === "compact" && !a.endedAt);
		attempt && ends(attempt, e);
	},
	"tool.started"(o, e) {
		const call = callOf(o, e, e.data.index);
		call.name = e.data.name;
		call.startedAt ??= instant(e.at);
		Object.assign(call, { unknownAt: undefined, deferred: false });
	},
	"tool.deferred"(o, e) {
		Object.assign(callOf(o, e, e.data.index), { deferred: true, unknownAt: undefined });
	},
	"tool.answered"(o, e) {
		Object.assign(callOf(o, e, e.data.index), { deferred: false, asked: false }); // what a person was asked is known
	},
	"tool.completed"(o, e) {
		Object.assign(callOf(o, e, e.data.index), { name: e.data.name, endedAt: instant(e.at), output: e.data.output, asked: false, deferred: false });
	},
	"tool.failed"(o, e) {
		Object.assign(callOf(o, e, e.data.index), { name: e.data.name, endedAt: instant(e.at), error: e.data.error, asked: false, deferred: false });
	},
	"tool.unknown"(o, e) {
		Object.assign(callOf(o, e, e.data.index), { name: e.data.name, unknownAt: instant(e.at), unknownSeq: e.seq, deferred: false });
	},
	"approval.requested"(o, e) {
		const call = callOf(o, e, e.data.index);
		Object.assign(call, { name: e.data.name, asked: true });
		call.asks.push({ reason: e.data.reason, at: instant(e.at), until: undefined });
	},
	"approval.resolved"(o, e) {
		const call = callOf(o, e, e.data.index);
		Object.assign(call, { asked: false, edited: e.data.arguments ?? call.edited });
		Object.assign(call.asks.at(-1) ?? {}, { until: instant(e.at) });
	},
	"child.submitted"(o, e) {
		const { session, agent } = e.data;
		callOf(o, e, e.data.index).child = { session, agent, startedAt: instant(e.at), endedAt: undefined, status: "", usage: undefined, error: undefined };
	},
	"child.settled"(o, e) {
		const { status, usage, error } = e.data;
		childOf(o, e, { status, usage, error });
	},
	"child.abandoned"(o, e) {
		childOf(o, e, { session: e.data.session, status: "abandoned" });
	},
};

function ends(attempt, { at, data }) {
	Object.assign(attempt, { endedAt: instant(at), usage: data.usage, cost: data.costUsd });
}

function settle(operation, event, status) {
	operation.status = status;
	operation.settledAt = instant(event.at);
	operation.usage = event.data.usage ?? operation.usage;
	operation.joined = operation.joined && !event.data.usage;
}
