// call.js shows a tool call: one line, and what went in and came out when it is open.
// Of one that another agent carries out a second line says who, where and how it stands.

import { Child } from "./child.js";
import { h, icon, replace, set, write } from "./dom.js";
import { duration, line, parts } from "./format.js";
import { members } from "./jsontext.js";
import { brief, valueView } from "./values.js";

export class Call {
	/** @param {any} call as the fold has it */
	constructor(call, blob, open) {
		Object.assign(this, { call, blob });
		this.mark = h("span", { class: "mark-box" });
		this.name = h("span", { class: "name" });
		this.line = h("span", { class: "clip mono" });
		this.time = h("span", { class: "about" });
		this.body = h("div", { class: "call-body" });
		this.element = h("details", { class: "call", open, on: { toggle: () => this.fill() } },
			h("summary", {}, this.mark, this.name, this.line, this.time), this.body);
	}

	/** Shows what has changed. */
	update() {
		const { call } = this;
		const state = stateOf(call);
		if (this.state !== state) {
			this.state = state;
			replace(this.mark, icon(pictures[state]));
			set(this.element, "data-state", state);
		}
		write(this.name, call.name);
		write(this.line, outline(call.edited ?? call.arguments));
		const took = call.endedAt && call.startedAt ? duration(call.endedAt - call.startedAt) : "";
		write(this.time, parts(says[state], took));
		call.child && this.delegated();
		this.fill();
	}

	// delegated says it below the call, where it is seen whether that is open or not.
	delegated() {
		if (!this.child) {
			this.child = new Child(this.call.child.session);
			this.element.after(this.child.element);
		}
		this.child.update(this.call.child);
	}

	// fill writes the body once it is looked at: most calls of a long turn never are.
	fill() {
		if (!this.element.open) {
			return;
		}
		if (this.call.arguments !== undefined && !this.arguments) {
			this.arguments = section("Arguments", valueView(this.call.arguments, this.blob, true));
			this.body.prepend(this.arguments);
		}
		if (this.call.edited !== undefined && !this.edited) {
			this.edited = section("Arguments, as a person changed them", valueView(this.call.edited, this.blob, true));
			this.arguments ? this.arguments.after(this.edited) : this.body.prepend(this.edited);
		}
		if (ended.includes(this.state) && !this.result) {
			this.result = this.call.error ? failure(this.call.error) : section("Result", valueView(this.call.output, this.blob, true));
			this.body.append(this.result);
		}
	}
}

const pictures = { running: "arc", done: "check", failed: "cross", cancelled: "halt", unknown: "unknown", asked: "pause", elsewhere: "out", deferred: "pause" };
const says = { running: "running…", done: "", failed: "failed", cancelled: "cancelled", unknown: "outcome unknown", asked: "waits for a person", elsewhere: "with another agent", deferred: "waits to be called back" };
const ended = ["done", "failed", "cancelled"];

function stateOf({ error, output, asked, unknownAt, deferred, child }) {
	if (error) {
		return error.code === "cancelled" ? "cancelled" : "failed";
	}
	if (output !== undefined) {
		return "done";
	}
	return asked ? "asked" : unknownAt ? "unknown" : child ? "elsewhere" : deferred ? "deferred" : "running";
}

// outline puts a call's arguments on one line, the short ones first: a path says
// more of a call than the text that it writes.
function outline(value) {
	const all = typeof value === "string" && members(value);
	if (!all) {
		return brief(value, 200); // no object, or not here
	}
	const fields = all.map(([name, v]) => `${name}: ${v.startsWith('"') ? JSON.parse(v) : v}`);
	return line(fields.sort((a, b) => a.length - b.length).join(", "), 200);
}

const section = (title, content) => h("div", { class: "call-part" }, h("h4", { text: title }), content);

const failure = (error) => section("Error", h("p", { class: "error" }, h("strong", { text: `${error.code}. ` }), error.message));
