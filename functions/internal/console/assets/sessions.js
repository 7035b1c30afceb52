// sessions.js lists the tenant's sessions, newest first.

import { button, h, icon, replace, the, write } from "./dom.js";
import { instant, when } from "./format.js";
import { roving } from "./roving.js";

const PAGE = 50;

/** The sessions. */
export class Sessions {
	constructor(windlass) {
		this.windlass = windlass;
		this.rows = new Map();
		this.next = undefined;
		this.current = "";
		this.settle = roving(the("sessions"), "a, button");
		the("sessions-again").append(icon("again"));
		the("sessions-again").addEventListener("click", () => this.read());
	}

	/** Reads the first page again; pages that were read before stay. */
	async read() {
		const page = await this.page("");
		for (const session of page?.sessions ?? []) {
			this.rows.set(session.sessionId, session);
		}
		if (page && this.next === undefined) {
			this.next = page.nextCursor ?? "";
		}
		this.show();
	}

	async more() {
		const page = await this.page(this.next);
		for (const session of page?.sessions ?? []) {
			this.rows.set(session.sessionId, session);
		}
		this.next = page ? (page.nextCursor ?? "") : this.next;
		this.show();
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
		return h("li", {}, h("a", { class: "item", href: `#/sessions/${encodeURIComponent(session.sessionId)}`, "aria-current": current && "true" },
			h("span", { class: "name", text: session.sessionId }),
			h("span", { class: "about", text: session.openedAt ? [session.agent, when(instant(session.openedAt))].filter(Boolean).join(" · ") : "not opened yet" })));
	}
}
