// checks.js holds what was delivered against what is in the log. It is pure: the
// words of a check and whether it holds.

import { terminal } from "./fold.js";
import { clock, count, instant, many } from "./format.js";

/** @typedef {{name: string, ok: boolean, detail: string}} Check */

/**
 * All checks of a turn whose process was killed.
 * @param {{delivered: any[], logged: any[], operation: string, killedAfter: number, replaced: {before: string, after: string}}} evidence
 * @returns {Check[]}
 */
export function checks({ delivered, logged, operation, killedAfter, replaced }) {
	const turn = logged.filter((event) => event.operationId === operation);
	return [isReplaced(replaced), isDense(logged), isDelivered(delivered, logged), hasResults(turn), hasOneEnd(turn), isTakenOver(turn, killedAfter)];
}

function isReplaced({ before, after }) {
	return { name: "The process was replaced", ok: before !== "" && after !== "" && before !== after, detail: `the first started ${at(before)}, the second ${at(after)}` };
}

const at = (time) => (time ? clock(instant(time)) : "at an unknown time");

function isDense(logged) {
	const at = logged.findIndex((event, i) => event.seq !== i + 1);
	return { name: "Seqs are dense from 1", ok: at < 0 && logged.length > 0, detail: at < 0 ? `1 to ${count(logged.length)}` : `place ${count(at + 1)} holds seq ${logged[at].seq}` };
}

// isDelivered compares the JSON text of each event: the socket's and the log's
// must be the same to the byte.
function isDelivered(delivered, logged) {
	let size = 0;
	for (let i = 0; i < Math.max(delivered.length, logged.length); i++) {
		const one = JSON.stringify(delivered[i]);
		if (one !== JSON.stringify(logged[i])) {
			return { name: "What was delivered is what the log holds", ok: false, detail: `they differ at place ${count(i + 1)} of ${count(delivered.length)} delivered, ${count(logged.length)} logged` };
		}
		size += one.length;
	}
	return { name: "What was delivered is what the log holds", ok: delivered.length > 0, detail: `${count(delivered.length)} events, ${count(size)} characters of JSON, each once and in order` };
}

/** How often each call was answered, by its identity. */
export function results(turn) {
	const answered = new Map();
	for (const event of turn) {
		for (const item of event.type === "model.completed" ? event.data.items : []) {
			item.call && answered.set(`${event.round}.${item.call.index}`, 0);
		}
		if (event.type === "tool.completed" || event.type === "tool.failed") {
			const call = `${event.round}.${event.data.index}`;
			answered.set(call, (answered.get(call) ?? NaN) + 1); // NaN: a result that nobody asked for
		}
	}
	return answered;
}

function hasResults(turn) {
	const answered = results(turn);
	const wrong = [...answered].filter(([, n]) => n !== 1);
	const detail = wrong.length ? `round and index ${wrong[0][0]} has ${wrong[0][1] || "no"} result; ${count(wrong.length)} like it` : `${many(answered.size, "call")}, ${many(answered.size, "result")}`;
	return { name: "Every call has exactly one result", ok: wrong.length === 0 && answered.size > 0, detail };
}

function hasOneEnd(turn) {
	const ends = turn.filter((event) => terminal(event.type));
	return { name: "The turn ended once", ok: ends.length === 1 && ends[0] === turn.at(-1), detail: ends.map((e) => `${e.type}, seq ${count(e.seq)}`).join("; ") || "it did not end" };
}

function isTakenOver(turn, killedAfter) {
	const found = turn.find((event) => event.type === "operation.resumed" && event.data.reason === "takeover" && event.seq > killedAfter);
	return { name: "The takeover stands in the log", ok: Boolean(found), detail: found ? `operation.resumed, seq ${count(found.seq)}, after seq ${count(killedAfter)} was delivered` : "no operation.resumed of reason takeover follows the kill" };
}
