// turn.js shows one operation: its prompt, its rounds as they come, and its end.

import { Call } from "./call.js";
import { Cancel } from "./cancel.js";
import { button, h, icon, replace, set, write } from "./dom.js";
import { settled } from "./fold.js";
import { clock, duration, many, parts, usage } from "./format.js";
import { statusIcon } from "./operations.js";
import { Saying } from "./saying.js";
import { show } from "./show.js";

const OPEN_CALLS = 4; // calls of a turn that are shown open: a short turn is read whole

/** One operation on the page. */
export class Turn {
	constructor(operation, app) {
		Object.assign(this, { operation, app, rounds: new Map(), calls: 0, folded: undefined, newest: 0, unread: 0 });
		this.status = h("span", { class: "status" });
		this.about = h("span", { class: "about" });
		this.body = h("div", { class: "rounds" });
		this.fold = button("", () => this.foldCalls(!this.folded), { class: "fold quiet small", hidden: true });
		this.cancel = new Cancel(operation, (id) => app.cancel(id), () => this.element.focus({ preventScroll: true }));
		const title = h("h2", {}, h("span", { class: "name", text: operation.id }));
		this.element = h("article", { class: "turn", tabindex: "-1", "aria-label": `Operation ${operation.id}` },
			h("header", { class: "turn-head" }, this.status, title, this.about, h("span", { class: "tools" }, this.fold, this.cancel.button), this.cancel.why), this.body);
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
			set(this.element, "data-open", String(!settled(o.status)));
		}
		this.cancel.update();
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

	/** Shows what a model has said so far, if the log does not have the end of that call. */
	says(said) {
		const { rounds, status } = this.operation;
		const attempt = rounds.get(said.round)?.attempts.at(-1);
		if (attempt?.n !== said.attempt || attempt.endedAt || settled(status)) {
			return;
		}
		const run = `${said.round}.${said.attempt}.${said.run}`;
		if (this.saying?.run !== run) {
			this.hush();
			this.saying = new Saying(run);
			this.round(said.round).section.append(this.saying.element);
		}
		this.saying.show(said);
	}

	/** Takes it away again, and gives how it stood there. */
	hush() {
		const { saying } = this;
		const stood = saying && { height: saying.height, thinking: saying.thinking.open };
		saying?.element.remove();
		this.saying = undefined;
		return stood;
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
		this.line(round, name, text);
	}

	// line says one thing in a round, or below them all.
	line(round, name, text, look = "marker") {
		this.place(round).append(h("p", { class: `${look} ${look}-${name}` }, icon(name), h("span", { text })));
	}

	place(round) {
		return this.rounds.get(round)?.section ?? this.body;
	}

	/** The name of a call, as people say it. */
	named(event) {
		const { index, name } = event.data;
		return `${name ?? this.operation.rounds.get(event.round)?.calls.get(index)?.name ?? "a call"}, call ${index + 1}`;
	}
}
