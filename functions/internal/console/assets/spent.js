// spent.js shows what all operations of a session have used: as the API says it, and
// what the log told since.

import { dollars, spend } from "./cost.js";
import { set, the, write } from "./dom.js";
import { terminal } from "./fold.js";
import { parts, short } from "./format.js";

/** The sum, without a page. What the API says and what events say may come in any order. */
export class Sum {
	constructor() {
		this.held = [];
		this.usage = undefined;
		this.asOfSeq = 0;
	}

	/** Takes what the API says of the session. */
	take({ usage, asOfSeq }) {
		Object.assign(this, { usage, asOfSeq });
		this.held.splice(0).forEach((event) => this.apply(event));
	}

	/** Takes the next event. */
	apply(event) {
		if (this.usage) {
			this.usage = event.seq > this.asOfSeq ? spend(this.usage, event) : this.usage;
		} else if (/^(model|transcript|child)\./.test(event.type)) {
			const { usage, costUsd } = event.data;
			this.held.push({ seq: event.seq, type: event.type, data: { usage, costUsd } });
		}
	}
}

export class Spent {
	/** @param {any} windlass @param {(session: any) => void} known hears what the API says of the session */
	constructor(windlass, known) {
		Object.assign(this, { windlass, known });
		this.reset("");
	}

	reset(session) {
		this.session = session;
		this.sum = undefined;
		the("spent").hidden = !session;
		this.show();
	}

	/** Reads what was used so far. It is tried again with the end of an operation. */
	async read() {
		const { session } = this;
		const sum = (this.sum = new Sum());
		try {
			const found = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(session)}`);
			if (sum === this.sum) {
				sum.take(found);
				this.known(found);
				this.show();
			}
		} catch {
			this.sum = sum === this.sum ? undefined : this.sum; // it is said nowhere, rather than wrongly
		}
	}

	apply(events) {
		if (!this.sum) {
			return void (events.some((event) => terminal(event.type)) && this.read());
		}
		events.forEach((event) => this.sum.apply(event));
		this.show();
	}

	show() {
		const u = this.sum?.usage;
		write(the("spent"), u && u.modelCalls ? parts(dollars(u.costUsd), `${short(u.inputTokens)} tokens in`, `${short(u.outputTokens)} out`) : "");
		set(the("spent"), "title", u?.modelCalls && `all operations: ${u.modelCalls} calls of models, ${u.inputTokens} tokens in, ${u.outputTokens} out, cost ${u.costUsd || "unknown"} USD`);
	}
}
