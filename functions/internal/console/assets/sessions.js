// sessions.js lists the tenant's sessions, newest first.

import { button, h, icon, replace, the, write } from "./dom.js";
import { instant, parts, when } from "./format.js";
import { roving } from "./roving.js";

const PAGE = 50;

/** The sessions. */
export class Sessions {
	constructor(windlass) {
		this.windlass = windlass;
		this.rows = new Map();
		/** Sessions in which a person is waited for, as far as this page has seen. */
		this.waiting = new Set();
		this.next = undefined;
		this.current = "";
		this.settle = roving(the("sessions"), "a, button");
		the("sessions-again").append(icon("again"));
		the("sessions-again").addEventListener("click", () => this.read());
	}

	/** Reads the first page again; pages that were read before stay. */
	async read() {
		const page = await this.page("");
		this.take(page?.sessions ?? []);
		if (page && this.next === undefined) {
			this.next = page.nextCursor ?? "";
		}
		this.show();
	}

	async more() {
		const page = await this.page(this.next);
		this.take(page?.sessions ?? []);
		this.next = page ? (page.nextCursor ?? "") : this.next;
		this.show();
	}

	take(sessions) {
		for (const session of sessions) {
			this.rows.set(session.sessionId, session);
			session.unsettled === 0 && this.waiting.delete(session.sessionId);
		}
	}

	async page(cursor) {
		try {
			return await this.windlass.request("GET", `/v1/sessions?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		} catch (error) {
			write(the("sessions-note"), `The sessions could not be read: ${error.message}`);
			return undefined;
		}
	}

	/** Marks the session that is open. */
	select(name) {
		this.current = name;
		this.show();
	}

	/** Learns of a session, wherever it stands in the list. */
	know(session) {
		this.rows.set(session.sessionId, session);
		this.show();
	}

	/** Learns whether a session waits for a person. */
	waits(name, is) {
		if (this.waiting.has(name) !== is) {
			is ? this.waiting.add(name) : this.waiting.delete(name);
			this.show();
		}
	}

	/** Learns that the session that is open is none yet. */
	missing() {
		this.none = this.current;
		this.show();
	}

	show() {
		const known = [...this.rows.values()].sort((a, b) => (a.openedAt < b.openedAt ? 1 : -1));
		const fresh = this.current && !this.rows.has(this.current) ? [{ sessionId: this.current, agent: "" }] : [];
		const focused = document.activeElement?.getAttribute("href");
		replace(the("sessions"), [...fresh, ...known].map((s) => this.row(s)), this.next && h("li", {}, button("Show more", () => this.more(), { class: "item quiet" })));
		the("sessions").querySelector(`a[href="${CSS.escape(focused ?? "")}"]`)?.focus();
		write(the("sessions-note"), known.length + fresh.length ? "" : "None yet. Name one above: its first prompt opens it.");
		this.settle();
	}

	row(session) {
		const current = session.sessionId === this.current;
		const waits = this.waiting.has(session.sessionId);
		return h("li", {}, h("a", { class: "item", href: `#/sessions/${encodeURIComponent(session.sessionId)}`, "aria-current": current && "true" },
			h("span", { class: "name", text: session.sessionId }),
			h("span", { class: waits ? "waits" : "about", text: waits ? "waits for you" : this.about(session) })));
	}

	about({ sessionId, agent, openedAt }) {
		return openedAt ? parts(agent, when(instant(openedAt))) : sessionId === this.none ? "not opened yet" : "";
	}
}
