// timetable.js says in a table what the timeline draws.

import { bars, marks, summary } from "./bars.js";
import { h } from "./dom.js";
import { duration, many } from "./format.js";

const HEADS = ["Round", "Call", "Begins", "Takes", "Outcome"];

/** The table of an operation's calls. */
export function timetable(operation) {
	const from = operation.acceptedAt;
	const calls = bars(operation).bars.map((b) => row(b.round || "", b.label, `+${duration(b.from - from)}`, b.to ? duration(b.to - b.from) : "", b.outcome || "done"));
	const found = marks(operation).map((m) => row(m.round || "", m.label, `+${duration(m.at - from)}`, "", `seq ${m.seq}`));
	return h("table", {}, h("caption", { text: `${summary(operation)}. ${many(found.length, "mark")}.` }),
		h("thead", {}, h("tr", {}, HEADS.map((text) => h("th", { scope: "col", text })))), h("tbody", {}, calls, found));
}

const row = (...cells) => h("tr", {}, cells.map((text) => h("td", { text })));
