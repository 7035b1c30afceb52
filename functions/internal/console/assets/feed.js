// feed.js follows one session: its events, each once and in order, in batches of
// a frame, for as long as the session is on the page. Where no socket opens it asks by
// HTTP, and says so.

import { eachFrame } from "./dom.js";
import { terminal } from "./fold.js";

/**
 * How many of a session's newest events are read when it is opened, and about how many
 * the log view keeps. What else is made of events (operations, the transcript, files)
 * keeps growing while the session is open.
 */
export const HELD = 20_000;

const WAITING = 2_000; // events that may wait for the page before the client holds the rest back
const MANY = 50; // events in one batch that mean that old ones are being read
const PAUSE = 200; // ms between two such batches: each one costs a layout
const LOOK_AGAIN = 10_000; // ms until a session that is not there is looked for again
const FAILURES = 3; // of the socket in a row, after which HTTP is asked
const PAGE = 500; // events of one such answer
const WAIT = 15; // s that it may wait for the next event

export class Feed {
	/**
	 * @param {any} windlass
	 * @param {string} session
	 * @param {{opened: (page: any, after: number) => void, batch: (events: any[]) => void, missing: () => void, failed: (error: any) => void, polled: (by: boolean) => void}} to
	 */
	constructor(windlass, session, to) {
		Object.assign(this, { windlass, session, to });
		this.stopped = new AbortController();
		this.waiting = [];
		this.cursor = -1;
		this.held = []; // who waits until the page has taken what waits
		this.hurried = false;
		this.last = 0;
		const soon = eachFrame(() => this.flush());
		this.flushSoon = () => (this.last < MANY ? soon() : (this.due ??= setTimeout(() => this.flush(), PAUSE)));
	}

	/** Follows until {@link Feed.stop}; what fails is tried again. */
	async run() {
		this.windlass.addEventListener("state", () => this.poll(), { signal: this.stopped.signal });
		while (!this.stopped.signal.aborted) {
			try {
				this.hurried = false;
				await this.open();
				await this.follow();
			} catch (error) {
				if (this.stopped.signal.aborted) {
					return;
				}
				error.status === 404 || error.code === "not_found" ? this.to.missing() : this.to.failed(error);
			}
			await this.pause();
		}
	}

	stop() {
		this.stopped.abort();
		this.release();
	}

	/** Ends a pause, or else the next one: the session may be there now. */
	again() {
		this.hurried = true;
		this.resume?.();
	}

	pause() {
		return new Promise((done) => {
			const timer = setTimeout(done, this.hurried ? 0 : LOOK_AGAIN);
			this.resume = () => {
				clearTimeout(timer);
				done(undefined);
			};
			this.stopped.signal.addEventListener("abort", () => this.resume?.(), { once: true });
		});
	}

	// open reads the newest operations first: they say how long the log is, and so
	// where a long one is joined.
	async open() {
		const { signal } = this.stopped;
		const page = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(this.session)}/operations?limit=50`, { signal });
		if (this.cursor < 0 && !signal.aborted) {
			this.cursor = Math.max(0, page.asOfSeq - HELD);
			this.to.opened(page, this.cursor);
		}
	}

	async follow() {
		const { signal } = this.stopped;
		for await (const event of this.windlass.events(this.session, { after: this.cursor, signal })) {
			if (signal.aborted) {
				return;
			}
			await this.take(event);
		}
	}

	/** Takes an event, whoever brought it, once. */
	async take(event) {
		if (event.seq <= this.cursor) {
			return;
		}
		this.cursor = event.seq;
		this.waiting.push(event);
		terminal(event.type) && document.hidden ? this.flush() : this.flushSoon();
		if (this.waiting.length >= WAITING) {
			await new Promise((done) => this.held.push(done));
		}
	}

	// poll asks by HTTP for as long as no socket opens.
	async poll() {
		const { signal } = this.stopped;
		const shut = () => !signal.aborted && this.windlass.state.connection !== "open" && this.windlass.state.attempt >= FAILURES;
		if (this.polling || this.cursor < 0 || !shut()) {
			return;
		}
		this.polling = true;
		try {
			while (shut()) {
				const page = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(this.session)}/events?after=${this.cursor}&limit=${PAGE}&wait=${WAIT}`, { signal });
				signal.aborted || this.to.polled(true);
				for (const event of page.events) {
					await this.take(event);
				}
			}
		} catch {
			// HTTP is not answered either: the next failure of the socket tries again
		} finally {
			this.polling = false;
			signal.aborted || this.to.polled(false);
		}
	}

	flush() {
		const batch = this.waiting;
		clearTimeout(this.due);
		this.due = undefined;
		this.waiting = [];
		this.last = batch.length;
		if (batch.length > 0 && !this.stopped.signal.aborted) {
			this.to.batch(batch);
		}
		this.release();
	}

	release() {
		this.held.splice(0).forEach((done) => done());
	}
}
