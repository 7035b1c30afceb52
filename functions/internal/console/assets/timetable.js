// timetable.js says in a table what the timeline draws.

import { bars, summary } from "./bars.js";
import { h } from "./dom.js";
import { duration, many } from "./format.js";

const HEADS = ["Round", "Call", "Begins", "Takes", "Outcome"];

/** The table of an operation's calls. */
export function timetable(operation) {
	const from = operation.acceptedAt;
	const calls = bars(operation).bars.map((b) => row(b.round || "", b.label, `+${duration(b.from - from)}`, b.to ? duration(b.to - b.from) : "", b.outcome || "done"));
	const marks = operation.resumed.map((r) => row(r.round, r.reason, `+${duration(r.at - from)}`, "", `seq ${r.seq}`));
	return h("table", {}, h("caption", { text: `${summary(operation)}. ${many(operation.resumed.length, "mark")}.` }),
		h("thead", {}, h("tr", {}, HEADS.map((text) => h("th", { scope: "col", text })))), h("tbody", {}, calls, marks));
}

const row = (...cells) => h("tr", {}, cells.map((text) => h("td", { text })));
