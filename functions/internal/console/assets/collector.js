// collector.js keeps what a session's events are, as they were delivered.

import { terminal } from "./fold.js";
import { count } from "./format.js";

const LONGEST = 20_000; // events of a session that are kept

/** Keeps every event of a session, up to the end of one operation. */
export class Collector {
	constructor(operation, moved) {
		Object.assign(this, { operation, moved, events: [], round: 0, ended: false, waits: [] });
	}

	async follow(events) {
		for await (const event of events) {
			this.events.push(event);
			if (this.events.length > LONGEST) {
				throw new Error(`the session has more than ${count(LONGEST)} events; verify in a new one`);
			}
			if (event.operationId === this.operation) {
				this.round = Math.max(this.round, event.round ?? 0);
				this.ended = terminal(event.type);
				this.moved();
			}
			this.waits = this.waits.filter((wait) => !wait());
			if (this.ended) {
				return;
			}
		}
	}

	/** Waits until the condition holds after some event. */
	until(holds, signal) {
		return new Promise((done, failed) => {
			signal.addEventListener("abort", () => failed(signal.reason), { once: true });
			const look = () => holds() && (done(undefined), true);
			look() || this.waits.push(look);
		});
	}
}
