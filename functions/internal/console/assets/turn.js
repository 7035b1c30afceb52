// turn.js shows one operation: its prompt, its rounds as they come, and its end.

import { Approval } from "./approval.js";
import { Call } from "./call.js";
import { Cancel } from "./cancel.js";
import { dollars } from "./cost.js";
import { button, h, icon, replace, set, write } from "./dom.js";
import { asking, settled } from "./fold.js";
import { clock, duration, many, parts, usage } from "./format.js";
import { statusIcon } from "./operations.js";
import { Saying } from "./saying.js";
import { show } from "./show.js";
import { used } from "./words.js";

const OPEN_CALLS = 4; // calls of a turn that are shown open: a short turn is read whole

/** One operation on the page. */
export class Turn {
	constructor(operation, app) {
		Object.assign(this, { operation, app, rounds: new Map(), calls: 0, folded: undefined, newest: 0, unread: 0, approvals: new Map() });
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
		const sum = o.usage.outputTokens && !o.joined;
		write(this.about, parts(o.agent, o.round && many(o.round, "round") + took, sum && usage(o.usage), sum && dollars(o.usage.costUsd), clock(o.acceptedAt)));
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
			const took = last.endedAt ? duration(last.endedAt - last.startedAt) : last.purpose === "compact" ? "summarising…" : "asking the model…";
			write(this.round(n).head, parts(last.model, took, ...used(last), last.n > 1 && `attempt ${last.n}`));
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

	/** The call with this index, as the fold has it. */
	callOf({ round, data }) {
		return this.operation.rounds.get(round)?.calls.get(data.index);
	}

	/** Asks a person about a call; the call itself is folded, as the question shows it whole. */
	ask(event) {
		if (!this.callOf(event).asked || !asking(this.operation)) {
			return; // it is answered by now
		}
		const { reason, expiresAt, index, argumentsSha256 } = event.data;
		const step = `${event.round}.${index}`;
		const { id } = this.operation;
		this.approvals.get(step)?.close();
		const { unknownSeq } = this.callOf(event); // an answer sent again is not about a later time
		const approval = new Approval({ call: this.callOf(event), name: this.named(event), reason, expiresAt, sha256: argumentsSha256 }, {
			blob: this.app.blob, send: (answer) => this.app.decide(id, step, answer.verb === "reconcile" ? { ...answer, unknownSeq } : answer), missing: () => this.app.argumentsOf(id, step), left: () => this.left(),
		});
		this.call(event.round, index).element.open = false;
		this.approvals.set(step, approval);
		this.place(event.round).append(approval.element);
	}

	/** Takes the question about this step away, or all of them. */
	asked(step) {
		for (const [at, approval] of this.approvals) {
			if (step === undefined || at === step) {
				this.approvals.delete(at);
				approval.close();
			}
		}
	}

	// left puts the focus on what is next to decide, else on the turn.
	left() {
		const [next] = this.approvals.values();
		next ? next.focus() : this.element.focus({ preventScroll: true });
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

	// line says one thing in a round, or below them all, and gives its text.
	line(round, name, text, look = "marker") {
		const said = h("span", { text });
		this.place(round).append(h("p", { class: `${look} ${look}-${name}` }, icon(name), said));
		return said;
	}

	place(round) {
		return this.rounds.get(round)?.section ?? this.body;
	}

	/** The name of a call, as people say it. */
	named(event) {
		const { index, name } = event.data;
		return `${name ?? (this.callOf(event)?.name || "a call")}, call ${index + 1}`;
	}
}
