// transcript.js shows a session's turns as they are written: it appends, and never
// renders anew what stands there. It keeps to the end only while the reader does.

import { parentNote } from "./child.js";
import { add, eachFrame, h, icon, replace, the } from "./dom.js";
import { settled } from "./fold.js";
import { clock, count, instant } from "./format.js";
import { fileNote } from "./show.js";
import { Turn } from "./turn.js";

const NEAR = 48; // pixels from the end that still count as being there

export class Transcript {
	/** @param {{blob: (sha256: string) => Promise<Response>, openFile: (path: string) => void, cancel: (id: string) => Promise<any>, decide: (id: string, step: string, answer: any) => Promise<any>, argumentsOf: (id: string, step: string) => Promise<any>}} app */
	constructor(app) {
		this.app = app;
		this.turns = new Map();
		this.stuck = true;
		this.unread = 0;
		this.scroll = the("scroll");
		this.scroll.addEventListener("scroll", () => this.scrolled(), { passive: true });
		new ResizeObserver(() => this.keep()).observe(the("turns"));
		new ResizeObserver(() => this.keep()).observe(this.scroll);
		the("latest").addEventListener("click", () => this.toEnd());
		this.sayingSoon = eachFrame(() => this.saying());
	}

	reset(...content) {
		this.turns.clear();
		this.said = undefined;
		this.opened = false;
		this.stuck = true;
		this.unread = 0;
		replace(the("turns"), content);
		this.latest();
	}

	/** Takes the next events; the fold has them already. */
	apply(events, fold) {
		if (!this.opened) {
			this.opened = true;
			the("turns").querySelector(".empty")?.remove();
		}
		const touched = new Set();
		for (const event of events) {
			event.operationId ? touched.add(this.inTurn(event, fold)) : this.aside(event);
		}
		this.saying();
		touched.forEach((turn) => turn.head());
		this.unread += this.stuck ? 0 : events.length;
		this.latest();
		this.keep();
	}

	inTurn(event, fold) {
		let turn = this.turns.get(event.operationId);
		if (!turn) {
			turn = new Turn(fold.operations.get(event.operationId), this.app);
			this.turns.set(event.operationId, turn);
			the("turns").append(turn.element);
		}
		turn.apply(event);
		return turn;
	}

	/** Takes what a model has said so far. It may be of a call whose start is not here yet. */
	preview(said) {
		this.said = said.ended ? undefined : said; // the event that ended it takes it away
		this.said && this.sayingSoon();
	}

	saying() {
		this.said && this.turns.get(this.said.operationId)?.says(this.said);
	}

	// aside shows what belongs to no operation.
	aside(event) {
		const at = clock(instant(event.at));
		if (event.type === "session.opened") {
			the("turns").append(h("p", { class: "aside" }, `Session opened ${at}`, event.data.parent && [", for ", parentNote(event.data.parent)]));
		} else if (event.type.startsWith("workspace.")) {
			the("turns").append(h("p", { class: "aside" }, fileNote(event, this.app), ` by request, ${at}`));
		}
	}

	/** Brings an operation, or one of its rounds, into view. */
	jump(operation, round) {
		const turn = this.turns.get(operation);
		const target = turn?.rounds.get(round)?.section ?? turn?.element;
		if (target) {
			this.stuck = false;
			target.scrollIntoView({ block: "start" });
			target.focus({ preventScroll: true });
		}
	}

	/** Brings the end of an operation into view, and leaves the focus where it is. */
	show(operation) {
		const turn = this.turns.get(operation);
		if (!turn || turn === [...this.turns.values()].at(-1)) {
			this.toEnd();
		} else {
			(turn.body.lastElementChild ?? turn.element).scrollIntoView({ block: "end" });
		}
	}

	/** Puts the focus on the button that cancels this operation, else the first that can be. */
	toCancel(operation) {
		const all = [...this.turns.values()].filter((turn) => !settled(turn.operation.status));
		(all.find((turn) => turn.operation.id === operation) ?? all[0])?.cancel.button.focus();
	}

	/** Puts the focus on the next question about a call of this operation, else of any: the one behind that in focus. */
	toApproval(operation) {
		const all = [...this.turns.values()].flatMap((turn) => [...turn.approvals.values()].map((approval) => ({ turn, approval })));
		const here = all.findIndex(({ approval }) => approval.element.contains(document.activeElement));
		const next = here < 0 ? (all.find(({ turn }) => turn.operation.id === operation) ?? all[0]) : all[(here + 1) % all.length];
		next?.approval.focus();
	}

	/** Opens or folds every call, and those that come. */
	foldCalls(folded) {
		for (const turn of this.turns.values()) {
			turn.foldCalls(folded);
		}
	}

	scrolled() {
		const { scrollTop, scrollHeight, clientHeight } = this.scroll;
		this.stuck = scrollHeight - scrollTop - clientHeight < NEAR;
		this.unread = this.stuck ? 0 : this.unread;
		this.latest();
	}

	keep() {
		if (this.stuck) {
			this.scroll.scrollTop = this.scroll.scrollHeight;
		}
	}

	toEnd() {
		this.stuck = true;
		this.keep();
		this.scrolled();
	}

	latest() {
		the("latest").hidden = this.stuck;
		if (!this.stuck) {
			replace(the("latest"), icon("down"), this.unread ? `${count(this.unread)} new` : "Latest");
		}
	}
}

/** What stands there when there is nothing to read. */
export const empty = (...children) => add(h("div", { class: "empty" }), ...children);
