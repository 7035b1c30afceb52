// operations.js lists a session's operations, newest first.

import { dollars } from "./cost.js";
import { add, button, h, icon, replace, set, the, write } from "./dom.js";
import { asking, settled } from "./fold.js";
import { duration, instant, line, many, parts, short, usage, when } from "./format.js";
import { roving } from "./roving.js";
import { brief } from "./values.js";

/** A session's operations, newest first: those that a page of the API names, and those that events tell of. */
export class Operations {
	/** @param {(id: string) => void} chosen */
	constructor(windlass, chosen) {
		Object.assign(this, { windlass, chosen });
		this.settle = roving(the("operations"), "button");
		this.reset("");
	}

	reset(session) {
		this.session = session;
		this.rows = new Map();
		this.buttons = new Map();
		/** Ids of those that are not settled, as far as the page knows. */
		this.unsettled = new Set();
		/** Ids of those that wait for a person. */
		this.waiting = new Set();
		this.next = "";
		this.current = "";
		replace(the("operations"));
		write(the("operations-note"), session ? "None yet." : "");
	}

	/** Takes a page of snapshots. What events say is newer and stays. */
	page({ operations, nextCursor }) {
		for (const o of operations) {
			if (!this.rows.has(o.operationId)) {
				this.put(fromSnapshot(o));
			}
		}
		this.next = nextCursor ?? "";
		this.more?.remove();
		if (this.next) {
			this.more = h("li", {}, button("Show more", () => this.readMore(), { class: "item quiet" }));
			the("operations").append(this.more);
		}
		this.settle();
	}

	async readMore() {
		const session = this.session;
		try {
			const page = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(session)}/operations?limit=50&cursor=${encodeURIComponent(this.next)}`);
			session === this.session && this.page(page);
		} catch (error) {
			write(the("operations-note"), `The operations could not be read: ${error.message}`);
		}
	}

	/** Shows an operation as the fold has it. One that the fold joined midway keeps what its snapshot said. */
	put(operation) {
		const known = this.rows.get(operation.id);
		if (known && !operation.agent) {
			operation = { ...known, ...operation, agent: known.agent, prompt: known.prompt, acceptedAt: known.acceptedAt, firstSeq: known.firstSeq, usage: operation.joined ? known.usage : operation.usage };
		}
		this.rows.set(operation.id, operation);
		settled(operation.status) ? this.unsettled.delete(operation.id) : this.unsettled.add(operation.id);
		operation.status === "waiting" || asking(operation) ? this.waiting.add(operation.id) : this.waiting.delete(operation.id);
		let row = this.buttons.get(operation.id);
		if (!row) {
			row = this.button(operation);
			this.buttons.set(operation.id, row);
			this.place(operation, row);
			write(the("operations-note"), "");
		}
		this.update(row, operation);
	}

	button(operation) {
		const row = { mark: h("span", { class: "mark-box" }), name: h("span", { class: "name" }), about: h("span", { class: "about" }), prompt: h("span", { class: "about clip" }) };
		const b = button("", () => this.chosen(operation.id), { class: "item operation", tabindex: "-1" });
		add(b, row.mark, h("span", { class: "stack" }, row.name, row.prompt, row.about));
		return { ...row, button: b, item: h("li", { "data-id": operation.id }, b) };
	}

	// place puts a row before the first that is older. New ones are the newest, so it
	// rarely looks far.
	place(operation, row) {
		let at = the("operations").firstElementChild;
		while (at && this.rows.get(at.dataset.id)?.firstSeq > operation.firstSeq) {
			at = at.nextElementSibling;
		}
		the("operations").insertBefore(row.item, at);
	}

	update(row, o) {
		if (row.status !== o.status) {
			row.status = o.status;
			replace(row.mark, statusIcon(o.status));
			set(row.button, "data-status", o.status);
		}
		write(row.name, o.id);
		write(row.prompt, line(o.preview ?? brief(o.prompt, 80), 80));
		write(row.about, about(o));
		set(row.button, "title", `${o.id}: ${words(o)}, ${many(o.round, "round")}, ${usage(o.usage)}, accepted ${when(o.acceptedAt)}`);
	}

	select(id) {
		this.buttons.get(this.current)?.button.removeAttribute("aria-current");
		this.current = id;
		set(this.buttons.get(id)?.button ?? h("i"), "aria-current", "true");
		this.settle();
	}

	/** The id of the operation that is that many places further down. */
	beside(step) {
		const ids = [...this.rows.values()].sort((a, b) => b.firstSeq - a.firstSeq).map((o) => o.id);
		return ids[Math.min(ids.length - 1, Math.max(0, ids.indexOf(this.current) + step))];
	}
}

function fromSnapshot(o) {
	return {
		id: o.operationId, agent: o.agent, prompt: o.prompt, status: o.status, round: o.round, firstSeq: o.firstSeq, lastSeq: o.lastSeq, usage: o.usage, error: o.error, cancelling: o.cancelRequested === true, rounds: new Map(), resumed: [],
		acceptedAt: instant(o.acceptedAt), startedAt: o.startedAt && instant(o.startedAt), settledAt: o.settledAt && instant(o.settledAt),
	};
}

function about(o) {
	return parts(words(o), o.round && many(o.round, "round"), o.settledAt && duration(o.settledAt - (o.startedAt ?? o.acceptedAt)), o.agent,
		o.usage.outputTokens && `${short(o.usage.inputTokens)} in, ${short(o.usage.outputTokens)} out`, o.usage.outputTokens && dollars(o.usage.costUsd));
}

const words = (o) => (o.cancelling && !settled(o.status) ? "cancelling…" : o.status === "waiting" ? "waits for you" : o.status);

const pictures = { completed: "check", failed: "cross", cancelled: "halt", queued: "dots", waiting: "pause" };

/** The picture that goes with a status; the word stands beside it. */
export function statusIcon(status) {
	return icon(pictures[status] ?? "arc");
}
