// logline.js says an event in one line.

import { dollars } from "./cost.js";
import { h, set } from "./dom.js";
import { clock, instant, line, many, parts, short } from "./format.js";
import { brief } from "./values.js";
import { decided, mended } from "./words.js";

/** The line of an event. */
export function logLine(e) {
	return h("div", { class: "log-line", role: "option", id: `event-${e.seq}`, "data-seq": e.seq },
		h("span", { class: "log-seq", text: e.seq }), time(e), h("span", { class: "log-type", "data-family": e.type.split(".")[0], text: e.type }),
		h("span", { class: "log-op", text: e.operationId ?? "" }), h("span", { class: "log-round", text: e.round ? `r${e.round}` : "" }), h("span", { class: "log-data", text: said(e) }));
}

/** Says a line's place among those that are listed, and whether it is the chosen one. */
export function placed(line, { at, of, chosen }) {
	set(line, "aria-posinset", at + 1);
	set(line, "aria-setsize", of);
	set(line, "aria-selected", chosen ? "true" : "false");
}

// time leaves its milliseconds to a wide list.
function time(event) {
	const text = clock(instant(event.at));
	return h("span", { class: "log-time" }, text.slice(0, 8), h("span", { class: "log-ms", text: text.slice(8) }));
}

// said is what one line says of an event's data.
function said({ type, data }) {
	switch (type) {
		case "operation.accepted":
			return `${data.agent.name}: ${data.input ? `${many(data.input.length, "file")}, ` : ""}${brief(data.prompt, 120)}`;
		case "operation.completed":
			return brief(data.output, 140);
		case "model.started":
			return parts(data.model, `attempt ${data.attempt}`, data.purpose);
		case "model.completed":
			return `${data.stop}: ${data.items.map(part).join(", ")}`.slice(0, 160);
		case "model.failed":
			return parts(`${data.error.code}: ${line(String(data.error.message), 120)}`, data.fallback && "another model is next");
		case "transcript.compacted":
			return `${many(data.items, "item")}, ${short(data.tokensBefore)} → ${short(data.tokensAfter)} tokens: ${brief(data.summary, 100)}`;
		case "transcript.repaired":
			return mended(data.repairs).slice(0, 160);
		case "tool.completed":
			return `#${data.index} ${data.name}: ${brief(data.output, 120)}`;
		case "message.steered":
			return brief(data.text, 140);
		case "tool.started":
			return `#${data.index} ${data.name}`;
		case "tool.unknown":
			return `#${data.index} ${data.name}: outcome unknown`;
		case "approval.requested":
			return `#${data.index} ${data.name}: ${data.reason}`;
		case "approval.resolved":
			return `#${data.index}: ${decided(data, brief(data.output, 100))}`;
		case "child.submitted":
			return `#${data.index} to ${data.agent}, in the session ${data.session}`;
		case "child.settled":
			return parts(`#${data.index} ${data.status}: ${data.error ? `${data.error.code}: ${line(String(data.error.message), 100)}` : brief(data.output, 100)}`, dollars(data.usage.costUsd));
		case "child.abandoned":
			return `#${data.index} given up, in the session ${data.session}`;
		case "tool.deferred":
			return `#${data.index} ${data.name}: is called back until ${clock(instant(data.until))}`;
		case "tool.answered":
			return `#${data.index}: ${data.error ? `${data.error.code}: ${line(String(data.error.message), 120)}` : brief(data.output, 120)}`;
		case "operation.warned":
			return `${data.code}: ${line(data.message, 120)}`;
		case "workspace.written":
			return `${data.path}, ${data.bytes} B`;
	}
	return data?.error ? `${data.error.code}: ${line(String(data.error.message), 120)}` : line(JSON.stringify(data ?? {}), 140);
}

function part({ kind, call, file, text }) {
	return call ? call.name : `${kind} ${file ? file.path || file.type : brief(text, 60)}`.trim();
}
