// child.js shows what passes between two sessions: the agent that carries a call out in
// one of its own, and, in that one, the call that it works for.

import { h, icon, write } from "./dom.js";
import { parts } from "./format.js";
import { stands } from "./words.js";

/** A link that opens a session. */
export const sessionLink = (name) => h("a", { class: "link mono", href: `#/sessions/${encodeURIComponent(name)}`, text: name });

/** The call that a session exists for. */
export const parentNote = ({ session, operationId, round, index }) => [`call ${index + 1} in round ${round} of ${operationId}, in `, sessionLink(session)];

/** Who carries a call out, where, how it stands and what it used. */
export class Child {
	constructor(session) {
		this.agent = h("strong");
		this.state = h("span", { class: "about" });
		const where = session && [", in the session ", sessionLink(session)]; // unknown, if its beginning is not loaded
		this.element = h("p", { class: "child" }, icon("out"), h("span", {}, this.agent, where), this.state);
	}

	/** Shows what has changed. */
	update(child) {
		write(this.agent, child.agent ? `Agent ${child.agent}` : "Another agent");
		write(this.state, parts(...stands(child)));
		this.element.dataset.state = child.status || "open";
	}
}
