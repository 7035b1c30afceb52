// connection.js shows whether the page hears of what happens, and how far it is.

import { h, replace, the, write } from "./dom.js";
import { count } from "./format.js";

const words = { idle: "Idle", connecting: "Connecting", open: "Open", waiting: "Waiting", closed: "Closed" };

export class Connection {
	constructor(windlass, refused) {
		Object.assign(this, { windlass, refused });
		this.seqs = new Map();
		this.dot = h("span", { class: "dot", "aria-hidden": "true" });
		this.word = h("span", { class: "word" });
		this.seq = h("span", { class: "seq mono" });
		replace(the("connection"), this.dot, this.word, this.seq);
		windlass.addEventListener("state", () => this.changed());
		windlass.addEventListener("seq", (event) => this.moved(event.detail ?? event));
		setInterval(() => this.state?.connection === "waiting" && this.show(), 250);
		this.changed();
	}

	/** Shows the place in this session. */
	follow(session) {
		this.session = session;
		this.polled(false);
	}

	changed() {
		const before = this.state?.connection;
		this.state = this.windlass.state;
		this.show();
		if (before !== undefined && before !== this.state.connection) {
			write(the("announce"), `Connection: ${words[this.state.connection]}`);
		}
		if (this.state.error?.status === 401 || this.state.error?.code === "unauthorized") {
			this.refused();
		}
	}

	moved({ session, seq, head }) {
		const known = this.seqs.get(session) ?? { seq: 0, head: 0 };
		this.seqs.set(session, { seq: Math.max(known.seq, seq ?? 0), head: Math.max(known.head, head ?? 0) });
		session === this.session && this.show();
	}

	/** Learns whether events come by HTTP meanwhile. */
	polled(is) {
		this.byHTTP = is;
		this.show();
	}

	/** Counts what was shown, whoever delivered it. */
	reached(session, seq) {
		this.moved({ session, seq, head: seq });
	}

	show() {
		const { connection, retryAt, attempt } = this.state;
		the("connection").dataset.state = connection;
		write(this.word, this.byHTTP && connection !== "open" ? "By HTTP" : connection === "waiting" ? `Waiting ${left(retryAt)}${attempt > 1 ? `, attempt ${attempt}` : ""}` : words[connection]);
		const at = this.seqs.get(this.session);
		write(this.seq, at ? (at.seq === at.head ? `seq ${count(at.seq)}` : `seq ${count(at.seq)} of ${count(at.head)}`) : "");
		the("connection").title = this.byHTTP && connection !== "open" ? "the socket does not open; events are asked for by HTTP" : this.state.error ? `${this.state.error.message}` : at ? `the page has seq ${at.seq}; the log’s last known is ${at.head}` : "";
	}
}

const left = (retryAt) => (retryAt ? `${Math.max(0, (retryAt - Date.now()) / 1000).toFixed(1)} s` : "");
