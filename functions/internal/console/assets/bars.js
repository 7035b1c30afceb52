// bars.js lays an operation out in time: a bar for its wait, for each call of the
// model, of a tool and of another agent. It is pure.

import { duration, many } from "./format.js";

/** The most bars that are drawn; a turn with more keeps its newest. */
export const MOST = 5000;

/**
 * @typedef {{key: string, round: number, kind: "queue" | "model" | "tool" | "child" | "pause", label: string, from: number, to: number | undefined, outcome: string, attempt: number}} Bar
 */

/** An operation's bars, in the order of their beginnings. */
export function bars(operation) {
	/** @type {Bar[]} */
	const all = [{ key: "queue", round: 0, kind: "queue", label: "queued", from: operation.acceptedAt, to: operation.startedAt ?? operation.settledAt, outcome: "", attempt: 0 }];
	for (const round of operation.rounds.values()) {
		round.attempts.forEach((a) => all.push(...ofModel(round, a, operation)));
		round.calls.forEach((c) => all.push(...ofCall(round, c, operation)));
	}
	return { bars: all.slice(-MOST), left: Math.max(0, all.length - MOST) };
}

function ofModel(round, a, operation) {
	const key = `${round.n}.model.${a.n}`;
	const outcome = a.error ? a.error.code : a.endedAt ? "" : operation.settledAt ? "no answer" : "running";
	const label = a.purpose === "compact" ? "model, summary" : a.n > 1 ? `model, attempt ${a.n}` : "model";
	const asked = { key, round: round.n, kind: "model", label, from: a.startedAt, to: a.endedAt ?? operation.settledAt, outcome, attempt: a.n };
	const next = round.attempts.find((b) => b.n === a.n + 1);
	const until = next?.startedAt ?? (operation.settledAt ? undefined : a.retryAt);
	return a.error && until ? [asked, { ...asked, key: `${key}.pause`, kind: "pause", label: "waits", from: a.endedAt, to: until, outcome: "" }] : [asked];
}

function ofCall(round, c, operation) {
	const asks = c.asks.map((ask, i) => ofAsk(round, c, ask, i, operation));
	const runs = c.child?.startedAt ? ofChild(round, c, operation) : c.startedAt ? ofTool(round, c, operation) : [];
	return asks.concat(runs).sort((a, b) => a.from - b.from);
}

// ofAsk is the time that a person took.
function ofAsk(round, c, ask, i, operation) {
	return { key: `${round.n}.ask.${c.index}.${i}`, round: round.n, kind: "pause", label: `${c.name}: asked`, from: ask.at, to: ask.until ?? operation.settledAt, outcome: "", attempt: 0 };
}

function ofTool(round, c, operation) {
	const outcome = c.error ? c.error.code : c.endedAt ? "" : c.unknownAt ? "unknown" : operation.settledAt ? "no result" : "running";
	return { key: `${round.n}.tool.${c.index}`, round: round.n, kind: "tool", label: c.name, from: c.startedAt, to: c.endedAt ?? c.unknownAt ?? operation.settledAt, outcome, attempt: 0 };
}

// ofChild is the time that another agent took. Nothing runs here meanwhile.
function ofChild(round, { index, child }, operation) {
	const outcome = child.status === "completed" ? "" : child.error?.code || child.status || (operation.settledAt ? "no result" : "running");
	return { key: `${round.n}.child.${index}`, round: round.n, kind: "child", label: `agent ${child.agent}`, from: child.startedAt, to: child.endedAt ?? operation.settledAt, outcome, attempt: 0 };
}

/**
 * What has a time and no length: who drives it changed, or it was cancelled.
 * @returns {{kind: "takeover" | "end", at: number, round: number, seq: number, label: string}[]}
 */
export function marks({ resumed, status, settledAt, round, lastSeq }) {
	const changes = resumed.map((r) => ({ kind: "takeover", at: r.at, round: r.round, seq: r.seq, label: r.reason }));
	return status === "cancelled" ? [...changes, { kind: "end", at: settledAt, round, seq: lastSeq, label: "cancelled" }] : changes;
}

/** The times that the axis spans. While the operation runs its end moves in steps, so that bars stand still. */
export function span(operation, now) {
	const from = operation.acceptedAt;
	const length = Math.max(1, (operation.settledAt ?? Math.max(now, operation.lastAt)) - from);
	if (operation.settledAt) {
		return { from, length };
	}
	return { from, length: 250 * 1.35 ** Math.ceil(Math.max(0, Math.log(length / 250) / Math.log(1.35))) };
}

/** Round places on the axis, in milliseconds from its beginning. */
export function ticks(length, most) {
	const raw = length / Math.max(1, most);
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((s) => s >= raw) ?? raw;
	const all = [];
	for (let t = 0; t <= length * 1.0001; t += step) {
		all.push(t);
	}
	return all;
}

/** One outline for many bars: a picture of thousands is one element. */
export function outline(all, x, now, top, height) {
	return all.map((b) => {
		const left = x(b.from);
		return `M${left.toFixed(1)} ${top}h${Math.max(1, x(b.to ?? Math.max(now, b.from)) - left).toFixed(1)}v${height}H${left.toFixed(1)}z`;
	}).join("");
}

/** What the picture shows, in a sentence. */
export function summary(operation) {
	const all = bars(operation).bars;
	const models = all.filter((b) => b.kind === "model");
	const tools = all.filter((b) => b.kind === "tool");
	const children = all.filter((b) => b.kind === "child");
	const sum = (of) => duration(of.reduce((s, b) => s + ((b.to ?? b.from) - b.from), 0));
	const takeovers = operation.resumed.filter((r) => r.reason === "takeover").map((r) => `round ${r.round}`);
	return [
		`Operation ${operation.id}, ${operation.status}: ${operation.rounds.size} rounds`,
		`${models.length} calls of the model, ${sum(models)} in all`,
		`${tools.length} calls of tools, ${sum(tools)} in all`,
		children.length ? `${many(children.length, "call")} of other agents, ${sum(children)} in all` : "",
		takeovers.length ? `taken over in ${takeovers.join(", ")}` : "never taken over",
	].filter(Boolean).join("; ");
}
