// submit.js is the box below the transcript. It tells apart what is easily taken
// for one: that a prompt is sent, that it is durable, that it runs, and that it has
// come to its end.

import { button, h, icon, replace, set, the, write } from "./dom.js";
import { settled } from "./fold.js";
import { count, duration, many } from "./format.js";
import { IfBusy } from "./ifbusy.js";

export const STRESS = { rounds: 40, callsPerRound: 2, toolBytes: 256, answerBytes: 64, reasoningBytes: 0, latencyMs: 200 };
const EXAMPLES = {
	stress: JSON.stringify({ ...STRESS, rounds: 12, reasoningBytes: 96 }),
	coder: "Write a haiku about ropes to /haiku.txt, then read it back.",
	demo: "write a short README to /codex/result.txt and read it back",
	careful: "write a short README to /codex/result.txt and read it back",
};

export class Submit {
	/** @param {{session: () => string, operation: (id: string) => any, accepted: (receipt: any) => void, show: (operation: string) => void}} app */
	constructor(windlass, app) {
		Object.assign(this, { windlass, app });
		this.ifBusy = new IfBusy();
		this.attempt = undefined; // {prompt, agent, id}: what was tried, and may be stored
		the("submit").addEventListener("submit", (event) => {
			event.preventDefault();
			this.send();
		});
		the("prompt").addEventListener("keydown", (event) => {
			if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
				event.preventDefault();
				the("submit").requestSubmit();
			}
		});
		the("example").addEventListener("click", () => this.example());
	}

	reset() {
		this.sending?.abort();
		this.followed = undefined;
		this.shown = undefined;
		this.ifBusy.reset(this.app.session());
		replace(the("receipt"));
	}

	/** Learns whether an operation of the session is unsettled. */
	know(unsettled) {
		this.ifBusy.know(unsettled);
	}

	/** Puts an example of the chosen agent into the box. */
	example() {
		the("prompt").value = EXAMPLES[the("agent").value || "demo"];
		the("prompt").focus();
	}

	async send() {
		const session = this.app.session();
		const prompt = the("prompt").value;
		if (!session || prompt.trim() === "" || this.sending) {
			the(session ? "prompt" : "new-session-name").focus();
			return;
		}
		const attempt = this.attempted(prompt);
		this.sending = new AbortController();
		this.busy(true);
		this.steps([{ state: "now", text: "Sending…", note: attempt.id }]);
		try {
			const receipt = await this.windlass.submit(session, { prompt, operationId: attempt.id, agent: attempt.agent || undefined, ifBusy: this.ifBusy.policy, signal: this.sending.signal });
			this.accepted(receipt, session);
		} catch (error) {
			this.sending = undefined;
			session === this.app.session() && this.refused(error);
		} finally {
			this.sending = undefined;
			this.busy(false);
		}
	}

	// attempted keeps the id while the same thing is tried: if the first try was
	// stored and only its answer lost, the second one finds it there.
	attempted(prompt) {
		const agent = the("agent").value;
		const own = the("operation-id").value.trim();
		const before = this.attempt;
		const same = before && before.prompt === prompt && before.agent === agent && before.session === this.app.session() && (!own || own === before.id);
		this.attempt = same ? before : { prompt, agent, session: this.app.session(), id: own || newID() };
		return this.attempt;
	}

	accepted(receipt, session) {
		this.attempt = undefined;
		if (session !== this.app.session()) {
			return;
		}
		the("prompt").value = "";
		the("operation-id").value = "";
		this.receipt = receipt;
		this.followed = receipt.operationId;
		this.app.accepted(receipt);
		this.follow(this.app.operation(receipt.operationId)); // its events may have come first
	}

	refused(error) {
		if (error.name === "AbortError" || error.code === "cancelled") {
			this.failed("Stopped trying. It may be stored or not: submit it again as it is, under the same id, and it is done once.");
			return;
		}
		if (error.code === "operation_mismatch") {
			this.attempt = undefined;
			this.failed("Another prompt stands under this operation id. Choose another id under More, or leave it empty.");
			return;
		}
		if (error.code === "session_busy") {
			this.ifBusy.show();
			this.failed("Another operation of this session is not settled. Your text is kept: choose to wait, steer or interrupt beside Submit, or submit it again later.");
			return;
		}
		const then = error.retryable || !error.status ? "Your text is kept: submit it again, under the same id." : "Your text is kept: change it and submit it again.";
		this.failed(`${error.message} (${error.code ?? "unreachable"}). ${then}`);
	}

	failed(text) {
		this.followed = undefined;
		this.steps([{ state: "bad", text: "Not submitted", note: "" }]);
		the("receipt").append(h("p", { class: "error", text }));
		the("prompt").focus();
	}

	/** Shows how far the submitted operation is. */
	follow(operation) {
		if (!this.receipt || (operation && operation.id !== this.followed)) {
			return;
		}
		this.steps([first(this.receipt), ...progress(this.receipt, operation)], this.receipt.operationId);
	}

	steps(steps, id) {
		const key = JSON.stringify([steps.map((s) => [s.state, s.text]), id]);
		if (this.shown !== key) {
			this.shown = key;
			this.notes = steps.map(() => h("span", { class: "about" }));
			write(the("announce"), steps.findLast((s) => s.state !== "next").text);
			const pictures = { done: "check", now: "arc", next: "ring", bad: "cross", off: "halt" };
			replace(the("receipt"), h("ol", { class: "steps" }, steps.map((s, i) => h("li", { "data-state": s.state }, icon(pictures[s.state]), h("span", { class: "word", text: s.text }), this.notes[i]))),
				id && h("p", { class: "about" }, this.receipt.steered ? "Receipt: said to operation " : "Receipt: operation ", button(id, () => this.app.show(id), { class: "link mono", title: "Show this operation" }), `${this.receipt.steered ? ", whose model reads it with its next round" : ""}, durable after seq ${count(this.receipt.after)}`),
				this.sending && !id && button("Stop trying", () => this.sending?.abort(), { class: "small" }));
		}
		steps.forEach((s, i) => write(this.notes[i], s.note));
	}

	busy(is) {
		the("send").disabled = is;
		set(the("prompt"), "readonly", is);
	}
}

// first is what the receipt itself says.
function first({ accepted, steered }) {
	const text = steered ? (accepted ? "Said" : "Said before") : accepted ? "Accepted" : "Accepted before";
	return { state: "done", text, note: "" };
}

// progress is how far the operation is: whether it runs, and how it ended.
function progress(receipt, operation) {
	const status = operation?.status ?? (receipt.accepted && !receipt.steered ? "queued" : receipt.status);
	return settled(status) ? [ran(operation), ended(status, operation)] : [runs(status, operation), { state: "next", text: "Completed", note: "" }];
}

function runs(status, operation) {
	const words = { running: "Running", waiting: "Waiting" };
	const round = operation?.round ? `round ${operation.round}` : "";
	return { state: words[status] ? "now" : "next", text: words[status] ?? "Queued", note: operation?.cancelling ? "cancelling…" : status === "waiting" ? "for a person" : round };
}

function ran(operation) {
	const never = operation && !operation.round && operation.startedAt === undefined;
	return never ? { state: "off", text: "Never ran", note: "" } : { state: "done", text: "Ran", note: operation?.round ? many(operation.round, "round") : "" };
}

function ended(status, operation) {
	const took = operation?.settledAt && duration(operation.settledAt - (operation.startedAt ?? operation.acceptedAt));
	const state = { completed: "done", cancelled: "off" }[status] ?? "bad";
	return { state, text: status[0].toUpperCase() + status.slice(1), note: operation?.error?.code ?? operation?.stop ?? (took ? `in ${took}` : "") };
}

/** An id for an operation. Over plain http a browser has no randomUUID. */
export function newID() {
	return crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}
