// logline.js says an event in one line.

import { h } from "./dom.js";
import { clock, instant, line } from "./format.js";
import { brief } from "./values.js";

/** The line of an event, at its place among those that are listed. */
export function logLine(e, { at, of, chosen }) {
	return h("div", { class: "log-line", role: "option", id: `event-${e.seq}`, "data-seq": e.seq, "aria-selected": String(chosen), "aria-posinset": at + 1, "aria-setsize": of },
		h("span", { class: "log-seq", text: e.seq }), time(e), h("span", { class: "log-type", "data-family": e.type.split(".")[0], text: e.type }),
		h("span", { class: "log-op", text: e.operationId ?? "" }), h("span", { class: "log-round", text: e.round ? `r${e.round}` : "" }), h("span", { class: "log-data", text: short(e) }));
}

// time leaves its milliseconds to a wide list.
function time(event) {
	const text = clock(instant(event.at));
	return h("span", { class: "log-time" }, text.slice(0, 8), h("span", { class: "log-ms", text: text.slice(8) }));
}

// short is what one line says of an event's data.
function short({ type, data }) {
	switch (type) {
		case "operation.accepted":
			return `${data.agent.name}: ${brief(data.prompt, 120)}`;
		case "operation.completed":
			return brief(data.output, 140);
		case "model.completed":
			return `${data.stop}: ${data.items.map((item) => (item.call ? item.call.name : `${item.kind} ${brief(item.text, 60)}`)).join(", ")}`.slice(0, 160);
		case "tool.completed":
			return `#${data.index} ${data.name}: ${brief(data.output, 120)}`;
		case "message.steered":
			return brief(data.text, 140);
		case "tool.unknown":
			return `#${data.index} ${data.name}: outcome unknown`;
		case "approval.requested":
			return `#${data.index} ${data.name}: ${data.reason}`;
		case "approval.resolved":
			return `#${data.index}: ${data.decision}${data.output === undefined ? "" : `, ${brief(data.output, 100)}`}`;
		case "operation.warned":
			return `${data.code}: ${line(data.message, 120)}`;
		case "workspace.written":
			return `${data.path}, ${data.bytes} B`;
	}
	return data?.error ? `${data.error.code}: ${line(String(data.error.message), 120)}` : line(JSON.stringify(data ?? {}), 140);
}
