// ifbusy.js is the choice of what becomes of a prompt while operations before it are
// not settled. Each session's choice is kept for as long as the page is open.

import { the } from "./dom.js";

const SOON = 300; // ms for which something is unsettled before the choice is worth showing

export class IfBusy {
	constructor() {
		this.choices = new Map();
		this.unsettled = false;
		this.select = the("if-busy");
		this.field = this.select.closest("label");
		this.select.addEventListener("change", () => this.choices.set(this.session, this.select.value));
		this.select.addEventListener("blur", () => this.unsettled || this.show(false));
	}

	/** Begins with a session. */
	reset(session) {
		this.session = session;
		this.select.value = this.choices.get(session) ?? "enqueue";
		this.know(false);
	}

	/** Learns whether something is unsettled. */
	know(is) {
		if (this.unsettled === is) {
			return;
		}
		this.unsettled = is;
		clearTimeout(this.due);
		if (is) {
			this.due = setTimeout(() => this.show(true), SOON);
		} else {
			document.activeElement === this.select || this.show(false); // nobody's hand is on it
		}
	}

	/** Shows the choice: there is a reason to make it. */
	show(is = true) {
		this.field.hidden = !is;
		the("submit").classList.toggle("choosing", is);
	}

	/** What is sent: a choice that was made, else that it waits; nothing where nothing is in its way. */
	get policy() {
		return this.choices.get(this.session) ?? (this.unsettled ? "enqueue" : undefined);
	}
}
