// turn.js shows one operation: its prompt, its rounds as they come, and its end.

import { Call } from "./call.js";
import { button, h, icon, replace, set, write } from "./dom.js";
import { bytes, clock, count, duration, instant, many, parts, usage } from "./format.js";
import { statusIcon } from "./operations.js";
import { size, valueView } from "./values.js";

const OPEN_CALLS = 4; // calls of a turn that are shown open: a short turn is read whole

/** One operation on the page. */
export class Turn {
	constructor(operation, app) {
		Object.assign(this, { operation, app, rounds: new Map(), calls: 0, folded: undefined });
		this.status = h("span", { class: "status" });
		this.about = h("span", { class: "about" });
		this.body = h("div", { class: "rounds" });
		this.fold = button("", () => this.foldCalls(!this.folded), { class: "fold quiet small", hidden: true });
		const title = h("h2", {}, h("span", { class: "name", text: operation.id }));
		this.element = h("article", { class: "turn", tabindex: "-1", "aria-label": `Operation ${operation.id}` },
			h("header", { class: "turn-head" }, this.status, title, this.about, this.fold), this.body);
	}

	apply(event) {
		show[event.type]?.(this, event);
	}

	head() {
		const o = this.operation;
		if (this.shown !== o.status) {
			this.shown = o.status;
			replace(this.status, statusIcon(o.status), o.status);
			set(this.element, "data-status", o.status);
		}
		const took = o.settledAt && o.startedAt ? ` in ${duration(o.settledAt - o.startedAt)}` : "";
		write(this.about, parts(o.agent, o.round && many(o.round, "round") + took, o.usage.outputTokens && usage(o.usage), clock(o.acceptedAt)));
	}

	round(n) {
		let round = this.rounds.get(n);
		if (!round) {
			round = { calls: new Map(), head: h("span", { class: "about" }) };
			round.section = h("section", { class: "round", tabindex: "-1", "aria-label": `Round ${n}` }, h("h3", { class: "round-head" }, `Round ${n}`, round.head));
			this.rounds.set(n, round);
			this.body.append(round.section);
		}
		return round;
	}

	roundHead(n) {
		const attempts = this.operation.rounds.get(n)?.attempts ?? [];
		const last = attempts.at(-1);
		if (last) {
			const took = last.endedAt ? duration(last.endedAt - last.startedAt) : "asking the model…";
			write(this.round(n).head, parts(last.model, took, last.usage && usage(last.usage), last.n > 1 && `attempt ${last.n}`));
		}
	}

	call(n, index) {
		const { calls, section } = this.round(n);
		let call = calls.get(index);
		if (!call) {
			call = new Call(this.operation.rounds.get(n).calls.get(index), this.app.blob, !(this.folded ?? this.calls >= OPEN_CALLS));
			this.calls++;
			this.calls > OPEN_CALLS && this.folding(this.folded ?? true);
			calls.set(index, call);
			section.append(call.element);
		}
		return call;
	}

	foldCalls(folded) {
		this.folding(folded);
		for (const round of this.rounds.values()) {
			round.calls.forEach((call) => (call.element.open = !folded));
		}
	}

	// folding says what the button does. A short turn needs none.
	folding(folded) {
		this.folded = folded;
		this.fold.hidden = this.calls <= OPEN_CALLS;
		write(this.fold, folded ? "Open all calls" : "Fold all calls");
	}

	// marker says it where it happened: the fold may be rounds ahead by now.
	marker(name, seq, text) {
		const round = this.operation.resumed.find((r) => r.seq === seq)?.round;
		(this.rounds.get(round)?.section ?? this.body).append(h("p", { class: `marker marker-${name}` }, icon(name), h("span", { text })));
	}
}

const show = {
	"operation.accepted"(turn, event) {
		const { prompt, preview } = event.data;
		turn.body.before(h("div", { class: "prompt" }, preview && h("pre", { class: "text", text: `${preview}…` }), valueView(prompt, turn.app.blob)));
	},
	"operation.resumed"(turn, event) {
		const { reason, generation } = event.data;
		const words = reason === "takeover" ? "Its driver was gone: another one took over" : `Goes on in a new execution, its ${generation}.`;
		turn.marker("takeover", event.seq, `${words} · ${reason} · seq ${count(event.seq)} · ${clock(instant(event.at))}`);
	},
	"operation.completed"(turn, event) {
		if (!turn.answered) {
			turn.body.append(answer(event.data.output, turn.app.blob));
		}
	},
	"operation.failed"(turn, event) {
		const { code, message } = event.data.error;
		turn.body.append(problem("This operation failed", { code, message: message === turn.said ? "" : message }));
	},
	"operation.cancelled"(turn) {
		turn.body.append(h("p", { class: "problem", text: "This operation was cancelled." }));
	},
	"model.started"(turn, event) {
		turn.roundHead(event.round);
	},
	"model.completed"(turn, event) {
		const { items } = event.data;
		turn.answered = !items.some((item) => item.call);
		for (const item of items) {
			turn.round(event.round).section.append(...part(turn, event, item));
		}
		turn.roundHead(event.round);
	},
	"model.failed"(turn, event) {
		const { attempt, error, retryAt } = event.data;
		turn.said = error.message;
		const next = retryAt ? ` The next attempt begins at ${clock(instant(retryAt))}.` : "";
		turn.round(event.round).section.append(problem(`Attempt ${attempt} failed`, error, next));
		turn.roundHead(event.round);
	},
	"tool.started": ofCall,
	"tool.completed": ofCall,
	"tool.failed": ofCall,
	"workspace.written": ofFile,
	"workspace.deleted": ofFile,
};

function ofCall(turn, event) {
	turn.call(event.round, event.data.index).update();
}

function ofFile(turn, event) {
	(turn.rounds.get(event.round)?.section ?? turn.body).append(h("p", { class: "aside" }, fileNote(event, turn.app)));
}

function part(turn, event, item) {
	if (item.call) {
		turn.call(event.round, item.call.index).update();
		return [];
	}
	if (item.kind === "reasoning") {
		return [h("details", { class: "reasoning" }, h("summary", {}, "Reasoning", h("span", { class: "about", text: bytes(size(item.text)) })), valueView(item.text, turn.app.blob))];
	}
	return [turn.answered ? answer(item.text, turn.app.blob) : h("div", { class: "said" }, valueView(item.text, turn.app.blob))];
}

const answer = (value, blob) => h("div", { class: "answer" }, h("h4", { text: "Answer" }), valueView(value, blob));

const problem = (what, error, then = "") => h("div", { class: "problem" }, icon("cross"), h("p", {}, h("strong", { text: `${what}: ${error.code}. ` }), `${error.message}${then && `. ${then}`}`));

/** What an event did to a file, with a way to it. */
export function fileNote(event, app) {
	const { path, bytes: length } = event.data;
	if (event.type === "workspace.deleted") {
		return [icon("file"), `deleted ${path}`];
	}
	return [icon("file"), "wrote ", button(path, () => app.openFile(path), { class: "link" }), `, ${bytes(length)}`];
}
