// approval.js asks a person about a call that waits for one, and says what came of the
// answer. The call is shown as it would run, to the letter.

import { add, button, h, replace, set, write } from "./dom.js";
import { bytes, instant, when } from "./format.js";
import { sha256 } from "./hash.js";
import { indent, seen, whyNoObject } from "./jsontext.js";
import { contentOf, size } from "./values.js";

const SHOWN = 1 << 20; // bytes of arguments that are shown
const EDITED = 256 << 10; // bytes that can be edited here

const kinds = {
	policy: {
		why: "The agent’s policy wants a person to allow this call before it runs.",
		choices: [
			{ text: "Approve", look: "primary", answer: { verb: "approve" }, allows: true },
			{ text: "Deny", look: "deny", form: "deny" },
			{ text: "Edit arguments", form: "edit", allows: true },
		],
	},
	unknown_outcome: {
		why: "This call was begun, and nobody knows whether it took effect. Look where its effect would be, and say.",
		choices: [
			{ text: "It happened", form: "happened" },
			{ text: "It did not happen", answer: { verb: "reconcile", outcome: "did_not_happen" } },
		],
	},
};

const forms = {
	edit: { label: "The arguments, as a JSON object", send: "Approve as edited", of: (text) => ({ verb: "approve", arguments: text }), check: whyNoObject, code: true, most: EDITED },
	deny: { label: "Why, if you like", send: "Deny it", look: "deny", hint: "The model reads this as the reason, and the log keeps it", of: (text) => ({ verb: "deny", ...(text && { note: text }) }), most: 2000 },
	happened: { label: "What it gave, if you know", send: "Say that it happened", hint: "The model reads this as the call’s result, and the log keeps it", of: (text) => ({ verb: "reconcile", outcome: "happened", ...(text && { result: text }) }), most: 64_000 },
};

const sent = { approve: "Approved.", deny: "Denied.", happened: "Said that it happened.", did_not_happen: "Said that it did not happen." };

/** One question, until the log has its answer. */
export class Approval {
	/**
	 * @param {{call: any, name: string, reason: string, expiresAt?: string, sha256?: string}} question `call` is as the fold has it, `name` as people say it, `sha256` of the arguments that are asked about
	 * @param {{blob: (sha256: string) => Promise<Response>, send: (answer: any) => Promise<any>, missing: () => Promise<any>, left: () => void}} app
	 */
	constructor(question, app) {
		Object.assign(this, { ...question, app, sending: false, answered: false });
		this.kind = kinds[this.reason] ?? kinds.policy;
		this.text = undefined; // the arguments, once they are here
		this.shown = h("div", { class: "exact" });
		this.proof = h("span", { class: "about proof" });
		this.differs = h("p", { class: "differs", role: "alert" });
		this.choices = this.kind.choices.map((choice) => button(choice.text, () => this.choose(choice), { class: choice.look, "aria-expanded": choice.form && "false" }));
		this.row = h("div", { class: "choices" }, this.choices);
		this.place = h("div", { class: "choice-form", hidden: true });
		this.state = h("p", { class: "note", role: "status" });
		this.why = h("p", { class: "error", role: "alert" });
		this.element = h("div", { class: "approval", role: "group", tabindex: "-1", "aria-label": `Decision about ${this.name}` },
			h("p", {}, h("strong", { class: "mono", text: this.call.name }), ` ${this.kind.why}`),
			this.expiresAt && h("p", { class: "about", text: `Expires ${when(instant(this.expiresAt))}, if nobody answers.` }),
			h("h4", {}, "Arguments, to the letter ", this.proof), this.shown, this.differs, this.row, this.place, this.state, this.why);
		this.read();
	}

	async read() {
		write(this.state, "Reading the arguments…");
		try {
			const value = this.call.edited ?? this.call.arguments ?? (await this.app.missing());
			const content = await contentOf(value, this.app.blob, SHOWN);
			const same = size(value) <= SHOWN ? await this.check(content) : undefined;
			this.text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
			replace(this.shown, h("pre", { class: "text tall", tabindex: "0", "aria-label": "The arguments", text: seen(this.text) }),
				size(value) > SHOWN && h("p", { class: "note", text: `the first ${bytes(SHOWN)} of ${bytes(size(value))}` }));
			this.kind.choices.forEach(({ form, allows }, i) => (this.choices[i].hidden = (form === "edit" && size(value) > EDITED) || (allows === true && same === false)));
			write(this.state, "");
		} catch (error) {
			write(this.state, "");
			replace(this.shown, h("p", { class: "error", text: `The arguments could not be read: ${error.message}` }), button("Try again", () => this.read(), { class: "small" }));
		}
	}

	// check: what is shown is what the question is about, or nobody may allow it here.
	async check(content) {
		const found = this.sha256 && (await sha256(content));
		if (!found) {
			return undefined; // an older question, or a page without TLS: nothing is said
		}
		const same = found === this.sha256;
		write(this.proof, same ? `SHA-256 ${found.slice(0, 12)}… checked` : "");
		write(this.differs, same ? "" : `The question is about other arguments: its SHA-256 is ${this.sha256.slice(0, 12)}…, theirs is ${found.slice(0, 12)}…. Such a call is not approved here. Load the page again; if that changes nothing, deny it.`);
		return same;
	}

	choose({ form, answer }) {
		if (this.busy()) {
			return;
		}
		answer ? this.send(answer) : this.open(this.opened === form ? undefined : form);
	}

	/** Opens a form below the buttons, or none. What was written in another is kept there. */
	open(name) {
		this.opened = name;
		this.kind.choices.forEach((choice, i) => choice.form && set(this.choices[i], "aria-expanded", String(choice.form === name)));
		this.place.hidden = !name;
		write(this.why, "");
		if (name) {
			this.forms ??= {};
			this.forms[name] ??= this.form(name);
			replace(this.place, this.forms[name].element);
			this.forms[name].field.focus();
		}
	}

	form(name) {
		const { label, send, of, check = () => "", code, most, hint, look = "primary" } = forms[name];
		const field = h("textarea", { rows: code ? 8 : 2, class: code && "mono", spellcheck: String(!code), maxlength: most, placeholder: hint });
		field.value = code ? (whyNoObject(this.text ?? "") ? (this.text ?? "") : indent(seen(this.text))) : "";
		const go = () => {
			const wrong = check(field.value);
			write(this.why, wrong && `These arguments cannot be sent: ${wrong}.`);
			wrong ? field.focus() : this.send(of(field.value.trim()));
		};
		field.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
				event.preventDefault();
				this.busy() || go();
			}
		});
		const press = button(send, () => this.busy() || go(), { class: look });
		const back = button("Back", () => this.busy() || (this.open(undefined), this.focus()), { class: "quiet" });
		return { field, press, element: add(h("div", {}), h("label", {}, h("span", { class: "about", text: label }), field), h("div", { class: "choices" }, press, back)) };
	}

	busy() {
		return this.sending || this.answered;
	}

	// send asks once; the client sends it again until it is answered.
	async send(answer) {
		this.sending = true;
		write(this.why, "");
		write(this.state, "Sending…");
		this.update();
		try {
			await this.app.send(answer);
			this.answered = true;
			write(this.state, `${sent[answer.outcome ?? answer.verb]} The turn goes on.`);
		} catch (error) {
			this.answered = error.code === "approval_resolved" || error.code === "approval_expired";
			write(this.state, "");
			write(this.why, refusal(error));
		}
		this.sending = false;
		this.update();
	}

	// update: pressed, a button stays in focus, so it is not disabled altogether.
	update() {
		const inert = this.busy();
		for (const press of this.element.querySelectorAll(".choices button")) {
			set(press, "aria-disabled", inert && "true");
		}
		for (const field of this.element.querySelectorAll("textarea")) {
			set(field, "readonly", inert);
		}
	}

	focus() {
		this.element.scrollIntoView({ block: "nearest" });
		this.choices.find((b) => !b.hidden).focus();
	}

	/** The log has the answer, or needs none any more. */
	close() {
		const inside = this.element.contains(document.activeElement);
		this.element.remove();
		inside && this.app.left();
	}
}

function refusal({ code, message, status }) {
	switch (code) {
		case "approval_resolved":
			return `Somebody was faster: ${message}`;
		case "approval_expired":
			return `It is too late: ${message}`;
	}
	return `It was not sent: ${message} (${code ?? "unreachable"}).${status === 404 ? "" : " Decide again."}`;
}
