// @ts-check
/**
 * The client of a Windlass deployment, in one file without dependencies: for a
 * page, or Node 20 and newer (before Node 22 with --experimental-websocket, or
 * with a WebSocket as an option).
 *
 * Its law: the client owns its cursor. A frame may be lost, doubled, late or
 * overtaken; an iterator still shows each event once, in order. A prompt is sent
 * again under the same operation id until it is acknowledged, so a lost answer
 * doubles nothing. Cursor decides what to take, and does no I/O.
 *
 * @typedef {{seq: number, type: string, v: number, at: string, operationId?: string, round?: number, data: any}} Event
 *   An entry of the log. `at` is RFC 3339, UTC.
 * @typedef {Omit<Event, "data"> & {data?: any, fetch?: string}} Sent
 *   An event as a frame has it: a large one has a path to GET in place of data.
 * @typedef {{session: string, operationId?: string, from: number, to: number, events: Sent[]}} Events
 *   All events with from <= seq <= to, less those that the subscription leaves out.
 * @typedef {{operationId: string, sessionId: string, streamId: string, accepted: boolean, status: string, after: number, steered?: boolean}} Receipt
 *   `accepted` is false for an operation that was there before.
 * @typedef {{connection: "idle"|"connecting"|"open"|"waiting"|"closed", attempt: number, retryAt?: number, error?: any}} State
 *   `attempt` counts failures since something was delivered; `retryAt` is in ms since the epoch.
 * @typedef {{session: string, operationId: string, round: number, attempt: number, run: number, text: string, textFrom: number, reasoning: string, reasoningFrom: number, gap: boolean, ended: boolean}} Preview
 *   What a model has said so far, in one run of a call; never counted. Each text is
 *   contiguous, to the newest that came, and begins at that byte (in UTF-8) of what was
 *   said: `gap` if one does not begin at 0. `ended` is said once, when the log has an
 *   answer in its place, or none will come.
 * @typedef {{url: string, key: string, fetch?: typeof globalThis.fetch, WebSocket?: any, random?: () => number, pingMs?: {active?: number, idle?: number}}} Options
 *   `url` is where the HTTP API is, without a path; "" is the page's own origin; `random` gives numbers from 0 to below 1.
 */

const WAITING_EVENTS = 2000;
const WAITING_TEXT = 8 << 20; // UTF-16 units
const ASIDE_FRAMES = 64;
const PREVIEW_PIECES = 64;
const PREVIEW_BYTES = 8 << 20;
const CALLS_OVER = 64; // operations of a session of which it is remembered
const SUBMIT_BYTES = 24 << 10; // the gateway closes at 32 KB
const GAP_MS = 500;
const ANSWER_MS = 10_000;
const CALL_MS = 30_000;
const RETRY_AFTER_MS = 3_600_000; // a timer of 25 days would ring at once
const PING_MS = { active: 15_000, idle: 240_000 };
// Anything else could be read as another host, which would be sent the key. A URL's
// reader passes over tabs and line breaks, and takes \ for /.
const ONE_SLASH = /^\/(?![\t\n\r]*[/\\])/;
const SETTLED = new Set(["operation.completed", "operation.failed", "operation.cancelled"]);
const AGAIN = new Set([408, 429, 500, 502, 503, 504]);
const CODES = new Map([[401, "unauthorized"], [403, "unauthorized"], [404, "not_found"], [413, "too_large"]]);

/**
 * Why something failed. `code` is the deployment's own (not_found, queue_full, …),
 * or one of the client: network, timeout, unreadable, closed, unsupported.
 * `retryable`: the same request may succeed later, and is safe to send again.
 */
export class WindlassError extends Error {
	/** @param {{code: string, message: string, status?: number, retryable?: boolean, traceId?: string, operationId?: string, retryAfterMs?: number, cause?: unknown}} fault */
	constructor({ code, message, status = 0, retryable = false, traceId, operationId, retryAfterMs = 0, cause }) {
		super(message, cause === undefined ? undefined : { cause });
		this.name = "WindlassError";
		this.code = code;
		this.status = status;
		this.retryable = retryable;
		this.traceId = traceId;
		this.operationId = operationId;
		this.retryAfterMs = retryAfterMs;
	}
}

/**
 * One iterator's place in the log, without I/O: which frames it takes, which it
 * keeps aside, which events wait for its consumer, and whether something is missing.
 */
export class Cursor {
	/** @type {{frame: Events, size: number}[]} */
	#aside = [];
	/** @type {{event: Sent, size: number}[]} */
	#waiting = [];
	#size = 0;

	/** @param {number} after the last seq that the caller has */
	constructor(after) {
		this.seq = after;
		this.head = after;
		/** Frames were dropped, because too much waits for the consumer. */
		this.full = false;
	}

	/** The server has what this cursor has not, and there is room for it. */
	get behind() {
		return !this.full && this.head > this.seq;
	}

	/** The consumer has caught up enough for the server to be asked again. */
	get relieved() {
		return this.full && this.#waiting.length < WAITING_EVENTS / 2 && this.#size < WAITING_TEXT / 2;
	}

	/** @param {number} head a seq that the log is known to have reached */
	learn(head) {
		if (Number.isSafeInteger(head) && head > this.head) this.head = head;
	}

	/**
	 * Takes a frame if it is the next, and then those aside that it led to.
	 * @param {Events} frame
	 * @param {number} size the length of its text
	 * @returns {Sent[]} the events that this made wait
	 */
	offer(frame, size) {
		this.learn(frame.to);
		if (this.full) return [];
		this.#aside.push({ frame, size });
		/** @type {Sent[]} */
		const taken = [];
		for (let next = this.#next(); next && !this.full; next = this.#next()) taken.push(...this.#take(next));
		return taken;
	}

	/** @returns {Sent | undefined} the next event for the consumer */
	shift() {
		const first = this.#waiting.shift();
		this.#size -= first?.size ?? 0;
		return first?.event;
	}

	/** The next frame, out of those aside. What is left of them is ahead, and bounded. */
	#next() {
		this.#aside = this.#aside.filter(({ frame }) => frame.to > this.seq).sort((a, b) => a.frame.from - b.frame.from);
		if (this.#aside.length > 0 && this.#aside[0].frame.from <= this.seq + 1) return this.#aside.shift();
		this.#aside.length = Math.min(this.#aside.length, ASIDE_FRAMES);
	}

	/** @param {{frame: Events, size: number}} kept */
	#take({ frame, size }) {
		const events = frame.events.filter((event) => event.seq > this.seq);
		const fits = this.#waiting.length + events.length <= WAITING_EVENTS && this.#size + size <= WAITING_TEXT;
		if (!fits && this.#waiting.length > 0) {
			this.full = true;
			return [];
		}
		for (const event of events) this.#waiting.push({ event, size: size / events.length });
		this.#size += events.length > 0 ? size : 0;
		this.seq = frame.to;
		return events;
	}
}

/** One text of a preview, without I/O: pieces in order, with a hole between each two. */
class Pieces {
	/** @type {{from: number, to: number, text: string}[]} */
	#all = [];

	/** The one with the newest byte. */
	get newest() {
		return this.#all.at(-1) ?? { from: 0, to: 0, text: "" };
	}

	/** @param {number} from @param {string} text */
	take(from, text) {
		const taken = { from, to: from + new TextEncoder().encode(text).length, text };
		const last = this.newest;
		const next = last.to === from ? { from: last.from, to: taken.to, text: last.text + text } : this.#joined(taken);
		if (next.to - next.from > PREVIEW_BYTES) this.#all = [taken];
		else this.#all = [...this.#all.filter((piece) => piece.to < next.from || piece.from > next.to), next].sort((a, b) => a.from - b.from).slice(-PREVIEW_PIECES);
	}

	/** With all that it touches or overlaps. @param {{from: number, to: number, text: string}} next */
	#joined(next) {
		for (const piece of this.#all) {
			if (piece.to < next.from || piece.from > next.to) continue;
			const [first, second] = piece.from <= next.from ? [piece, next] : [next, piece];
			next = second.to <= first.to ? first : { from: first.from, to: second.to, text: first.text + behind(second.text, first.to - second.from) };
		}
		return next;
	}
}

/**
 * The previews of one session, without I/O: which frames are of the call that runs,
 * and what they come to. Frames may be lost, doubled, late or overlapping.
 */
export class Previews {
	/** @type {{operationId: string, at: number[], text: Pieces, reasoning: Pieces} | undefined} */
	#running;
	/** Operation → the last attempt of it that is over: [round, attempt, run]. @type {Map<string, number[]>} */
	#over = new Map();

	/** @param {string} session */
	constructor(session) {
		this.session = session;
	}

	/** @param {any} frame @returns {Preview | undefined} what was said so far, if the frame is of a call that runs */
	take(frame) {
		const { operationId, round, attempt, run, kind, offset, text } = frame;
		const at = [round, attempt, run];
		if (![...at, offset].every((n) => Number.isSafeInteger(n) && n >= 0) || typeof operationId !== "string" || typeof text !== "string") return;
		if (kind !== "text" && kind !== "reasoning") return;
		if (!later(at, this.#over.get(operationId))) return;
		const running = this.#running?.operationId === operationId ? this.#running : undefined;
		if (running && later(running.at, at)) return;
		if (!running || later(at, running.at)) this.#running = { operationId, at, text: new Pieces(), reasoning: new Pieces() };
		this.#running?.[kind].take(offset, text);
		return this.#said(false);
	}

	/** @param {Sent} event @returns {Preview | undefined} the preview whose call is over by it */
	see({ type, operationId, round = 0, data }) {
		if (operationId === undefined) return;
		const over = this.#ends(type, operationId, round, data?.attempt);
		if (!over || !later(over, this.#over.get(operationId))) return;
		this.#over.delete(operationId); // the newest are kept
		this.#over.set(operationId, over);
		if (this.#over.size > CALLS_OVER) this.#over.delete(/** @type {string} */ (this.#over.keys().next().value));
		if (this.#running?.operationId !== operationId || later(this.#running.at, over)) return;
		const said = this.#said(true);
		this.#running = undefined;
		return said;
	}

	/** A large event is sent without its data: then the attempt is the one that runs. @param {string} type @param {string} operationId @param {number} round @param {number | undefined} attempt */
	#ends(type, operationId, round, attempt) {
		const { operationId: id, at } = this.#running ?? { at: [] };
		if (SETTLED.has(type)) return [Infinity, Infinity, Infinity];
		if (type === "model.completed") return [round, Infinity, Infinity];
		if (type === "model.started" && attempt !== undefined) return [round, attempt - 1, Infinity];
		if (type === "model.failed") return [round, attempt ?? (id === operationId && at[0] === round ? at[1] : 0), Infinity];
	}

	/** @param {boolean} ended @returns {Preview | undefined} */
	#said(ended) {
		if (!this.#running) return;
		const { operationId, at, text, reasoning } = this.#running;
		const [t, r] = [text.newest, reasoning.newest];
		return { session: this.session, operationId, round: at[0], attempt: at[1], run: at[2], text: t.text, textFrom: t.from, reasoning: r.text, reasoningFrom: r.from, gap: t.from > 0 || r.from > 0, ended };
	}
}

/** A timer that can be set again, and cleared. */
class Alarm {
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;

	get on() {
		return this.#timer !== undefined;
	}

	/** @param {number} ms @param {() => void} ring */
	set(ms, ring) {
		this.clear();
		this.#timer = setTimeout(() => {
			this.#timer = undefined;
			ring();
		}, ms);
	}

	clear() {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}
}

/**
 * The iterator behind events(). It subscribes at the first next(); it ends by
 * return(), by its signal, by an error, or after its operation's last event.
 */
class Reader {
	/** @type {Promise<unknown>} */
	#turn = Promise.resolve();
	#life = new AbortController();
	#wake = () => {};
	#started = false;
	#ended = false;
	/** @type {{error: unknown} | undefined} */
	#fault;
	#abort = () => this.end({ error: this.#signal?.reason });
	#signal;
	#host;

	/**
	 * @param {{join(r: Reader): void, leave(r: Reader): void, resume(r: Reader): void, moved(r: Reader): void, whole(e: Sent, s: AbortSignal): Promise<Event>}} host
	 * @param {string} session
	 * @param {{after?: number, operationId?: string, signal?: AbortSignal}} options
	 */
	constructor(host, session, { after = 0, operationId, signal }) {
		this.#host = host;
		this.#signal = signal;
		this.session = session;
		this.operationId = operationId;
		this.cursor = new Cursor(after);
		/** Operations of which this cursor has seen something, but not the end. @type {Set<string>} */
		this.unsettled = new Set();
	}

	/** @returns {Promise<IteratorResult<Event, undefined>>} */
	next() {
		// One at a time: a second call waits for the first one's event.
		const result = this.#turn.then(() => this.#next());
		this.#turn = result.catch(() => {});
		return result;
	}

	/** @param {{error: unknown}} [fault] what next() throws, once */
	end(fault) {
		if (this.#ended) return;
		this.#ended = true;
		this.#fault = fault;
		this.#signal?.removeEventListener("abort", this.#abort);
		this.#life.abort();
		if (this.#started) this.#host.leave(this);
		this.#wake();
	}

	/** @param {Events} frame @param {number} size */
	offer(frame, size) {
		const { seq, head } = this.cursor;
		for (const event of this.cursor.offer(frame, size)) this.#track(event);
		this.#tell(seq, head);
		if (this.cursor.seq > seq) this.#wake();
	}

	/** @param {number} to */
	learn(to) {
		const { seq, head } = this.cursor;
		this.cursor.learn(to);
		this.#tell(seq, head);
	}

	/** @param {number} seq @param {number} head what they were */
	#tell(seq, head) {
		if (this.cursor.seq > seq || this.cursor.head > head) this.#host.moved(this);
	}

	/** @param {Sent} event */
	#track({ operationId, type }) {
		if (operationId === undefined) return;
		if (SETTLED.has(type)) this.unsettled.delete(operationId);
		else this.unsettled.add(operationId);
	}

	/** @returns {Promise<IteratorResult<Event, undefined>>} */
	async #next() {
		try {
			this.#start();
			while (!this.#ended) {
				const event = this.cursor.shift();
				if (this.cursor.relieved) this.#host.resume(this);
				const value = event && (event.fetch === undefined ? event : await this.#host.whole(event, this.#life.signal));
				if (value && !this.#ended) return this.#give(/** @type {Event} */ (value));
				if (!value) await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
			}
		} catch (error) {
			this.end({ error });
		}
		return this.#finish();
	}

	#start() {
		if (this.#started || this.#ended) return;
		if (this.#signal?.aborted) return this.#abort();
		this.#signal?.addEventListener("abort", this.#abort);
		this.#started = true;
		this.#host.join(this);
	}

	/** @param {Event} value */
	#give(value) {
		if (this.operationId !== undefined && value.operationId === this.operationId && SETTLED.has(value.type)) this.end();
		return { done: /** @type {const} */ (false), value };
	}

	/** @returns {IteratorReturnResult<undefined>} */
	#finish() {
		const fault = this.#fault;
		this.#fault = undefined;
		if (fault) throw fault.error;
		return { done: true, value: undefined };
	}
}

/**
 * One subscription on the server, shared by the iterators of a session and
 * operation: when it is asked for, and when again.
 */
class Feed {
	/** @type {Set<Reader>} */
	readers = new Set();
	#gap = new Alarm();
	/** On while a subscribe is on its way, or about to be sent again. */
	#ask = new Alarm();
	#asking = "";
	/** On while an unsubscribe is on its way. */
	#leave = new Alarm();
	#leaving = "";
	#moved = false;
	#failures = 0;
	#send;
	#gone;
	#backoff;

	/**
	 * @param {{send(frame: object): string, gone(feed: Feed): void}} host send gives the frame's id, or "" if there is no connection
	 * @param {(failures: number) => number} backoff
	 * @param {{session: string, operationId?: string}} name
	 */
	constructor({ send, gone }, backoff, { session, operationId }) {
		this.#send = send;
		this.#gone = gone;
		this.#backoff = backoff;
		this.session = session;
		this.name = operationId === undefined ? { session } : { session, operationId };
	}

	/** The cursor that a subscribe is for: the least of those that have room. */
	get #least() {
		return Math.min(...[...this.readers].filter(({ cursor }) => !cursor.full).map(({ cursor }) => cursor.seq));
	}

	/**
	 * Asks for what follows. The server may read an unsubscribe after a subscribe that
	 * was sent later, and end the new subscription: so one that is out is waited for.
	 */
	subscribe() {
		if (this.#leave.on) return;
		this.stop();
		const after = this.#least;
		if (after === Infinity) return;
		this.#moved = false;
		this.#asking = this.#send({ type: "subscribe", ...this.name, after });
		if (this.#asking) this.#listen();
	}

	unsubscribe() {
		this.stop();
		if (this.#leave.on) return;
		this.#leaving = this.#send({ type: "unsubscribe", ...this.name });
		if (this.#leaving) this.#leave.set(ANSWER_MS, () => this.#left());
		else this.#left();
	}

	/** A new connection knows of nothing. */
	opened() {
		this.#left();
	}

	/** @param {{id?: string}} frame */
	result({ id }) {
		if (this.#leaving && id === this.#leaving) this.#left();
	}

	#left() {
		this.#leave.clear();
		this.#leaving = "";
		if (this.readers.size > 0) this.subscribe();
		else this.#gone(this);
	}

	stop() {
		this.#gap.clear();
		this.#ask.clear();
		this.#asking = "";
	}

	/** Nothing is to come of it any more. */
	end() {
		this.stop();
		this.#leave.clear();
	}

	/** @param {Events} frame @param {number} size */
	events(frame, size) {
		const before = this.#least;
		for (const reader of [...this.readers]) reader.offer(frame, size);
		if (this.#least > before) this.#advanced();
		this.#check();
	}

	/** Live frames come without an answer, too: what it asked for is what moves its least cursor. */
	#advanced() {
		this.#moved = true;
		if (this.#asking) this.#listen();
	}

	/** @param {{id?: string, head: number}} frame */
	caughtUp({ id, head }) {
		this.#learn(head);
		if (id !== this.#asking) return this.#check();
		this.stop();
		const short = [...this.readers].some(({ cursor }) => !cursor.full && cursor.seq < head);
		// Without progress, at once would be for ever.
		if (short && !this.#moved) return this.#fail();
		this.#failures = 0;
		if (short) this.subscribe();
		else this.#check();
	}

	/** @param {Record<string, number>} heads */
	pong(heads) {
		if (Object.hasOwn(heads, this.session)) this.#learn(heads[this.session]);
		else if (!this.#ask.on) return this.subscribe(); // the server does not know of it
		this.#check();
	}

	/** @param {{id?: string}} frame @param {WindlassError} error */
	refused({ id }, error) {
		this.result({ id });
		if (!this.#asking || id !== this.#asking) return;
		if (error.retryable) return this.#fail();
		this.stop();
		for (const reader of [...this.readers]) reader.end({ error });
	}

	/** @param {number} head */
	#learn(head) {
		for (const reader of [...this.readers]) reader.learn(head);
	}

	/** Silence is counted from the last sign of an answer. */
	#listen() {
		this.#ask.set(ANSWER_MS, () => this.#fail());
	}

	#fail() {
		this.stop();
		this.#failures++;
		this.#ask.set(this.#backoff(this.#failures), () => this.subscribe());
	}

	/** While a subscribe is on its way a gap is expected. */
	#check() {
		const behind = [...this.readers].some((reader) => reader.cursor.behind);
		if (!behind || this.#ask.on) this.#gap.clear();
		else if (!this.#gap.on) this.#gap.set(GAP_MS, () => this.subscribe());
	}
}

/**
 * The one socket: connects when something wants it, finds out that it is dead,
 * connects again, and matches answers to what was asked.
 */
class Line {
	/** @type {State} */
	state = { connection: "idle", attempt: 0 };
	/** @type {any} */
	#socket;
	#alarm = new Alarm(); // to open, or to connect again
	#ping = new Alarm();
	#pong = new Alarm();
	#pinged = "";
	#pingMs = 0;
	#delivered = false;
	#ids = 0;
	/** @type {Map<string, {resolve(frame: any): void, reject(error: unknown): void}>} */
	#pending = new Map();
	/** @type {Set<() => void>} */
	#waiters = new Set();
	#host;

	/** @param {{WebSocket: any, ticket(): Promise<string>, backoff(n: number): number, wanted(): boolean, pingMs(): number, state(s: State): void, opened(): void, frame(f: any, size: number): void, fatal(e: WindlassError): void}} host */
	constructor(host) {
		this.#host = host;
	}

	get open() {
		return this.state.connection === "open";
	}

	get #wanted() {
		return this.#host.wanted() || this.#waiters.size > 0;
	}

	need() {
		if (!this.#host.WebSocket) throw new WindlassError({ code: "unsupported", message: "there is no WebSocket here: pass one as an option, or run Node with --experimental-websocket" });
		if (this.state.connection === "idle") this.#connect();
	}

	/** The network came back: no reason to wait on. */
	hurry() {
		if (this.state.connection === "waiting") this.#connect();
	}

	/** @param {AbortSignal} signal */
	async opened(signal) {
		this.need();
		if (this.open) return;
		let wake = () => {};
		try {
			await within(0, signal, () => new Promise((resolve) => this.#waiters.add((wake = () => resolve(undefined)))));
		} finally {
			this.#waiters.delete(wake);
		}
	}

	/** @param {object} frame @returns {string} its id, or "" if there is no connection */
	send(frame) {
		if (!this.open) return "";
		const id = String(++this.#ids);
		this.#socket.send(JSON.stringify({ v: 1, id, ...frame }));
		return id;
	}

	/** @param {object} frame @param {AbortSignal} signal @returns {Promise<any>} the frame that answers */
	async ask(frame, signal) {
		const id = this.send(frame);
		if (!id) throw lost();
		try {
			return await within(ANSWER_MS, signal, () => new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject })));
		} finally {
			this.#pending.delete(id);
		}
	}

	/** Sets the next ping, and again when it has become more or less urgent. */
	beat() {
		const ms = this.#host.pingMs();
		if (!this.open || this.#pong.on || (this.#ping.on && ms === this.#pingMs)) return;
		this.#pingMs = ms;
		this.#ping.set(ms, () => {
			this.#pong.set(ANSWER_MS, () => this.#drop(lost()));
			this.#pinged = this.send({ type: "ping" });
		});
	}

	/** @param {WindlassError} [error] */
	close(error) {
		this.#become({ connection: "closed", attempt: this.state.attempt, ...(error && { error }) });
		this.#hangUp(error ?? lost());
	}

	/** @param {State} state */
	#become(state) {
		this.state = Object.freeze(state);
		this.#host.state(this.state);
	}

	async #connect() {
		this.#alarm.clear();
		this.#become({ connection: "connecting", attempt: this.state.attempt });
		try {
			const url = await this.#host.ticket();
			if (this.state.connection === "connecting") this.#dial(url);
		} catch (error) {
			if (this.state.connection !== "connecting") return;
			const { status = 0, retryable = true } = /** @type {any} */ (error);
			if (status >= 400 && status < 500 && !retryable) this.#host.fatal(/** @type {any} */ (error));
			else this.#drop(error);
		}
	}

	/** @param {string} url */
	#dial(url) {
		const socket = (this.#socket = new this.#host.WebSocket(url));
		this.#delivered = false;
		this.#alarm.set(ANSWER_MS, () => this.#drop(lost()));
		socket.onopen = () => socket === this.#socket && this.#up();
		socket.onmessage = (/** @type {any} */ { data }) => socket === this.#socket && this.#hear(data);
		socket.onclose = () => socket === this.#socket && this.#drop(lost());
		socket.onerror = () => {}; // a close follows
	}

	#up() {
		this.#alarm.clear();
		this.#become({ connection: "open", attempt: this.state.attempt });
		for (const wake of this.#waiters) wake();
		this.beat();
		this.#host.opened();
	}

	/** @param {unknown} text */
	#hear(text) {
		const frame = parse(text);
		if (frame?.v !== 1) return; // the gateway's own word has no v: nobody was answered
		if (frame.type === "closing") return this.#closing(frame);
		this.#delivered = true;
		if (this.state.attempt > 0) this.#become({ connection: "open", attempt: 0 });
		// A ping that is refused was heard, too.
		if (frame.type === "pong" || (frame.type === "error" && frame.id === this.#pinged)) this.#pong.clear();
		this.#answer(frame);
		this.#host.frame(frame, /** @type {string} */ (text).length);
		this.beat();
	}

	/** @param {any} frame */
	#answer(frame) {
		const asked = this.#pending.get(frame.id);
		if (frame.type === "error") asked?.reject(refusal(frame));
		else asked?.resolve(frame);
	}

	/** @param {{code: string}} frame */
	#closing({ code }) {
		if (code === "unauthorized") return this.#host.fatal(new WindlassError({ code, message: "the key was revoked: use another one", status: 401 }));
		this.#drop(lost(), this.#delivered);
	}

	/** @param {WindlassError} error */
	#hangUp(error) {
		const socket = this.#socket;
		this.#socket = undefined;
		for (const alarm of [this.#alarm, this.#ping, this.#pong]) alarm.clear();
		for (const { reject } of this.#pending.values()) reject(error);
		this.#pending.clear();
		try {
			socket?.close();
		} catch {} // it never was open
	}

	/** @param {any} error @param {boolean} [now] whether to connect again at once */
	#drop(error, now = false) {
		const attempt = now ? 0 : this.state.attempt + 1;
		const ms = now ? 0 : Math.max(this.#host.backoff(attempt), error.retryAfterMs ?? 0);
		this.state = { connection: "idle", attempt }; // nothing is sent from here on
		this.#hangUp(error);
		if (!this.#wanted) return this.#become({ connection: "idle", attempt });
		if (now) return void this.#connect();
		this.#alarm.set(ms, () => (this.#wanted ? this.#connect() : this.#become({ connection: "idle", attempt })));
		this.#become({ connection: "waiting", attempt, retryAt: Date.now() + ms, error });
	}
}

/**
 * A client of one deployment, with one key.
 *
 * It dispatches "state" (the detail is the State), "seq" ({session, operationId?,
 * seq, head}: a cursor moved, or the log is known to be longer) and "preview" (the
 * Preview of an answer that is being written, each time that more of it came, and when
 * it is over). Previews are of the sessions and operations that events() follows, as
 * they come: an iterator's consumer may not be as far yet.
 */
export class Windlass extends EventTarget {
	#url;
	#key;
	#fetch;
	#backoff;
	#pingMs;
	#line;
	/** Why there is nothing more to do. @type {WindlassError | undefined} */
	#ended;
	/** What is being waited for. @type {Set<AbortController>} */
	#running = new Set();
	/** @type {Map<string, Feed>} */
	#feeds = new Map();
	/** Of the sessions that feeds follow. @type {Map<string, Previews>} */
	#previews = new Map();
	#online = () => this.#line.hurry();

	/** @param {Options} options */
	constructor({ url, key, fetch, WebSocket = globalThis.WebSocket, random = Math.random, pingMs }) {
		super();
		if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) throw new WindlassError({ code: "invalid_request", message: "the key must be visible ASCII characters" });
		if (!/^(https?:\/\/[^/?#@]+)?\/*$/.test(url)) throw new WindlassError({ code: "invalid_request", message: "the url must be http://HOST or https://HOST, without a path" });
		// A page's own is written out: what a relative URL leads to is for others to say.
		this.#url = url.replace(/\/+$/, "") || own();
		this.#key = key;
		this.#fetch = fetch ?? ((/** @type {[any, any]} */ ...call) => globalThis.fetch(...call));
		this.#backoff = (/** @type {number} */ n) => random() * Math.min(15_000, 250 * 2 ** (n - 1));
		this.#pingMs = { ...PING_MS, ...pingMs };
		this.#line = this.#wire(WebSocket);
		globalThis.addEventListener?.("online", this.#online);
	}

	/** @returns {State} */
	get state() {
		return this.#line.state;
	}

	/**
	 * Submits a prompt, and waits until it is acknowledged: then it is in the log, and
	 * will be settled. What may succeed later is sent again, for as long as it takes,
	 * always with the same operation id; name your own to submit again after an abort
	 * or a crash.
	 *
	 * `ifBusy` says what becomes of it while other operations of the session are not
	 * settled: it waits (enqueue), is refused with session_busy (reject), cancels them
	 * (interrupt), or is said to the one that runs (steer): then the receipt has
	 * `steered`, and names that one.
	 * @param {string} session
	 * `input` are files that the model is shown: of the session's workspace, by `path`, as
	 * they are then; or uploads, by `upload`.
	 * @param {{prompt: string, operationId?: string, agent?: string, ifBusy?: "enqueue"|"reject"|"interrupt"|"steer", input?: {type: "file", path?: string, upload?: string, name?: string}[], signal?: AbortSignal}} submission
	 * @returns {Promise<Receipt>}
	 */
	async submit(session, { prompt, operationId = newId(), agent, ifBusy, input, signal }) {
		const body = { prompt, operationId, ...(agent !== undefined && { agent }), ...(ifBusy !== undefined && { ifBusy }), ...(input !== undefined && { input }) };
		const frame = { type: "submit", session, ...body };
		const small = new TextEncoder().encode(JSON.stringify(frame)).length <= SUBMIT_BYTES - 64; // v and id come to it
		const path = `/v1/sessions/${encodeURIComponent(session)}/operations`;
		try {
			const receipt = await this.#retrying(signal, async (first, inner) => {
				// What the socket left unanswered goes by HTTP, which says how long to wait.
				const answer = first && small && this.#line.open
					? (await this.#line.ask(frame, inner)).receipt
					: await this.#call("POST", path, { body, signal: inner, ms: CALL_MS });
				if (answer?.operationId !== operationId && !answer?.steered) throw unreadable();
				return answer;
			});
			this.#expect(receipt, session);
			return receipt;
		} catch (error) {
			if (error instanceof WindlassError) error.operationId ??= operationId;
			throw error;
		}
	}

	/**
	 * Says more to an operation: its model reads it with the next round, or, where there
	 * will be none, it becomes an operation of its own; the receipt says which. Sent
	 * again, as submit is, with the same message id; name your own to send it again
	 * after an abort or a crash.
	 * @param {string} session
	 * @param {string} operationId
	 * @param {{text: string, messageId?: string, signal?: AbortSignal}} message
	 * @returns {Promise<Receipt>}
	 */
	async steer(session, operationId, { text, messageId = newId(), signal }) {
		const path = `/v1/sessions/${encodeURIComponent(session)}/operations/${encodeURIComponent(operationId)}/steer`;
		const receipt = await this.#retrying(signal, async (_, inner) => {
			const answer = await this.#call("POST", path, { body: { text, messageId }, signal: inner, ms: CALL_MS });
			if (answer?.operationId !== messageId && !answer?.steered) throw unreadable();
			return answer;
		});
		this.#expect(receipt, session);
		return receipt;
	}

	/**
	 * Cancels an operation, wherever it is; again is as once. Gives its snapshot: settled,
	 * or with `cancelRequested` where something is under way that ends within seconds.
	 * @param {string} session
	 * @param {string} operationId
	 * @param {{signal?: AbortSignal}} [options]
	 * @returns {Promise<any>}
	 */
	async cancel(session, operationId, { signal } = {}) {
		return this.#decide(session, operationId, "cancel", undefined, signal);
	}

	/**
	 * Lets a call run that waits for a person. `step` is "ROUND.INDEX". With `arguments`
	 * it runs with these in place of the model's: an object, or its JSON as a text, which
	 * goes as it is. Sent again as cancel is: the same decision again is as once. Gives
	 * the operation's snapshot; throws approval_resolved where another decision was made
	 * before, and approval_expired.
	 * @param {string} session
	 * @param {string} operationId
	 * @param {string} step
	 * @param {{arguments?: object | string, note?: string, signal?: AbortSignal}} [decision]
	 * @returns {Promise<any>}
	 */
	async approve(session, operationId, step, { arguments: edited, note, signal } = {}) {
		const json = typeof edited === "string" ? edited : JSON.stringify(edited);
		if (json !== undefined && !isObject(parse(json))) throw new WindlassError({ code: "invalid_request", message: "the arguments must be a JSON object" });
		const rest = JSON.stringify({ decision: "approve", note }).slice(0, -1);
		return this.#decide(session, operationId, `approvals/${encodeURIComponent(step)}`, json === undefined ? `${rest}}` : `${rest},"arguments":${json}}`, signal);
	}

	/**
	 * Refuses a call that waits for a person; all else is as in approve.
	 * @param {string} session
	 * @param {string} operationId
	 * @param {string} step
	 * @param {{note?: string, signal?: AbortSignal}} [decision]
	 * @returns {Promise<any>}
	 */
	async deny(session, operationId, step, { note, signal } = {}) {
		return this.#decide(session, operationId, `approvals/${encodeURIComponent(step)}`, JSON.stringify({ decision: "deny", note }), signal);
	}

	/**
	 * Says of a call whose outcome is unknown whether it took effect. One that happened is
	 * not run again, and `result` is what the model reads of it; one that did not may be
	 * run. `unknownSeq` is the seq of the tool.unknown that was looked into: a call that is
	 * lost again is asked about again. All else is as in approve.
	 * @param {string} session
	 * @param {string} operationId
	 * @param {string} step
	 * @param {{outcome: "happened"|"did_not_happen", result?: string, unknownSeq?: number, signal?: AbortSignal}} found
	 * @returns {Promise<any>}
	 */
	async reconcile(session, operationId, step, { outcome, result, unknownSeq, signal }) {
		return this.#decide(session, operationId, `reconcile/${encodeURIComponent(step)}`, JSON.stringify({ outcome, result, unknownSeq }), signal);
	}

	/**
	 * Posts what may be posted again, until it is answered with the operation's snapshot.
	 * @param {string} session @param {string} operationId @param {string} verb
	 * @param {string | undefined} body JSON
	 * @param {AbortSignal | undefined} signal
	 */
	#decide(session, operationId, verb, body, signal) {
		const path = `/v1/sessions/${encodeURIComponent(session)}/operations/${encodeURIComponent(operationId)}/${verb}`;
		return this.#retrying(signal, async (_, inner) => {
			const answer = await this.#call("POST", path, { body, headers: body === undefined ? {} : { "Content-Type": "application/json" }, signal: inner, ms: CALL_MS });
			if (answer?.operationId !== operationId) throw unreadable();
			return answer;
		});
	}

	/**
	 * The session's events after a seq, each once, in order, for ever: ones to come
	 * are waited for. With an operation id, that operation's alone, up to its last
	 * one (which must not be before `after`). At most 2,000 wait for a slow consumer;
	 * the rest waits on the server. Throws what cannot be retried: not_found,
	 * unauthorized, the signal's reason, or closed.
	 * @param {string} session
	 * @param {{after?: number, operationId?: string, signal?: AbortSignal}} [options]
	 * @returns {AsyncIterableIterator<Event>}
	 */
	events(session, options = {}) {
		const { after = 0 } = options;
		if (!Number.isSafeInteger(after) || after < 0) throw new WindlassError({ code: "invalid_request", message: "after must be a seq, or 0" });
		const reader = new Reader(this.#host, session, options);
		return {
			next: () => reader.next(),
			return: async () => (reader.end(), { done: true, value: undefined }),
			[Symbol.asyncIterator]() {
				return this;
			},
		};
	}

	/**
	 * The session's newest operations (at most 50, newest first), as of a seq.
	 * @param {string} session
	 * @param {{signal?: AbortSignal}} [options]
	 * @returns {Promise<{operations: any[], asOfSeq: number}>}
	 */
	async snapshot(session, { signal } = {}) {
		const { operations, asOfSeq } = await this.#retrying(signal, async (_, inner) => {
			await this.#line.opened(inner);
			return this.#line.ask({ type: "snapshot", session }, inner);
		});
		return { operations, asOfSeq };
	}

	/**
	 * One HTTP request with the key; nothing is sent again. A body that is a plain
	 * object or an array goes as JSON, another one as it is. Gives what JSON the answer
	 * holds, or with `raw` the Response, which is the caller's from its headers on. An
	 * answer of 400 and above is thrown.
	 * @param {string} method
	 * @param {string} path begins with a slash
	 * @param {{body?: any, headers?: Record<string, string>, signal?: AbortSignal, raw?: boolean}} [options]
	 * @returns {Promise<any>}
	 */
	async request(method, path, options = {}) {
		return this.#call(method, path, options);
	}

	/** Ends it all: what is pending, and what is called from now on, fails with the code closed. */
	close() {
		this.#end(new WindlassError({ code: "closed", message: "this client was closed: make a new one" }));
	}

	/** @param {WindlassError} error @param {WindlassError} [shown] what the state says of it */
	#end(error, shown) {
		if (this.#ended) return;
		this.#ended = error;
		for (const running of [...this.#running]) running.abort(error);
		globalThis.removeEventListener?.("online", this.#online);
		this.#line.close(shown);
		for (const feed of [...this.#feeds.values()]) {
			for (const reader of [...feed.readers]) reader.end({ error });
			feed.end();
		}
	}

	/** @param {any} WebSocket */
	#wire(WebSocket) {
		return new Line({
			WebSocket,
			backoff: this.#backoff,
			ticket: () => this.#ticket(),
			wanted: () => [...this.#feeds.values()].some((feed) => feed.readers.size > 0),
			pingMs: () => (this.#active() ? this.#pingMs.active : this.#pingMs.idle),
			state: (detail) => this.dispatchEvent(new CustomEvent("state", { detail })),
			opened: () => this.#feeds.forEach((feed) => feed.opened()),
			frame: (frame, size) => this.#frame(frame, size),
			fatal: (error) => this.#end(error, error),
		});
	}

	async #ticket() {
		const answer = await this.#call("POST", "/v1/tickets", { body: {}, ms: CALL_MS });
		if (typeof answer?.url === "string") return answer.url;
		throw unreadable();
	}

	#feedHost = {
		send: (/** @type {object} */ frame) => this.#line.send(frame),
		gone: (/** @type {Feed} */ feed) => {
			this.#feeds.delete(nameOf(feed.name));
			if (!this.#follows(feed.session)) this.#previews.delete(feed.session);
		},
	};

	#host = {
		join: (/** @type {Reader} */ reader) => {
			if (this.#ended) throw this.#ended;
			this.#line.need();
			const feed = this.#feeds.get(nameOf(reader)) ?? new Feed(this.#feedHost, this.#backoff, reader);
			this.#feeds.set(nameOf(reader), feed);
			feed.readers.add(reader);
			feed.subscribe();
		},
		leave: (/** @type {Reader} */ reader) => {
			const feed = this.#feeds.get(nameOf(reader));
			if (feed?.readers.delete(reader) && feed.readers.size === 0) feed.unsubscribe();
		},
		resume: (/** @type {Reader} */ reader) => {
			reader.cursor.full = false;
			this.#feeds.get(nameOf(reader))?.subscribe();
		},
		moved: (/** @type {Reader} */ { session, operationId, cursor: { seq, head } }) => {
			this.dispatchEvent(new CustomEvent("seq", { detail: { session, ...(operationId !== undefined && { operationId }), seq, head } }));
		},
		whole: (/** @type {Sent} */ { seq, fetch }, /** @type {AbortSignal} */ signal) =>
			this.#retrying(signal, async (_, inner) => {
				const page = await this.#call("GET", String(fetch), { signal: inner, ms: CALL_MS });
				if (page?.events?.[0]?.seq !== seq) throw unreadable();
				return page.events[0];
			}),
	};

	/** @param {any} frame @param {number} size */
	#frame(frame, size) {
		if (frame.type === "preview") return this.#shows(this.#previewsOf(frame.session)?.take(frame));
		if (frame.type === "pong") return this.#feeds.forEach((feed) => feed.pong(frame.heads ?? {}));
		if (frame.type === "error") return this.#feeds.forEach((feed) => feed.refused(frame, refusal(frame)));
		if (frame.type === "result") return this.#feeds.forEach((feed) => feed.result(frame));
		const feed = this.#feeds.get(nameOf(frame));
		if (frame.type === "caught_up") return feed?.caughtUp(frame);
		if (frame.type !== "events" || !Array.isArray(frame.events) || !(frame.from <= frame.to)) return;
		for (const event of frame.events) this.#shows(this.#previewsOf(frame.session)?.see(event));
		feed?.events(frame, size);
	}

	/** @param {string} session @returns {Previews | undefined} none for a session that nobody follows */
	#previewsOf(session) {
		if (!this.#previews.has(session) && this.#follows(session)) this.#previews.set(session, new Previews(session));
		return this.#previews.get(session);
	}

	/** @param {string} session */
	#follows(session) {
		return [...this.#feeds.values()].some((feed) => feed.session === session);
	}

	/** @param {Preview | undefined} detail */
	#shows(detail) {
		if (detail) this.dispatchEvent(new CustomEvent("preview", { detail }));
	}

	#active() {
		return [...this.#feeds.values()].some((feed) => [...feed.readers].some((reader) => reader.unsettled.size > 0));
	}

	/** A receipt is the first one sees of an operation, unless its events were faster. @param {Receipt} receipt @param {string} session */
	#expect({ operationId, after }, session) {
		for (const feed of this.#feeds.values()) {
			if (feed.session !== session) continue;
			for (const reader of feed.readers) if (reader.cursor.seq <= after && (reader.operationId ?? operationId) === operationId) reader.unsettled.add(operationId);
		}
		this.#line.beat();
	}

	/**
	 * @param {string} method
	 * @param {string} path
	 * @param {{body?: any, headers?: Record<string, string>, signal?: AbortSignal, raw?: boolean, ms?: number}} options
	 */
	async #call(method, path, { body, headers, signal, raw = false, ms = 0 }) {
		if (!ONE_SLASH.test(path)) throw new WindlassError({ code: "invalid_request", message: "a path begins with one slash" });
		const json = Array.isArray(body) || isObject(body);
		const init = {
			method,
			headers: { ...(json && { "Content-Type": "application/json" }), ...headers, Authorization: `Bearer ${this.#key}` },
			body: json ? JSON.stringify(body) : body,
		};
		return this.#within(ms, signal, async (inner) => {
			try {
				const response = await this.#fetch(this.#url + path, { ...init, signal: inner });
				if (response.status >= 400) throw problem(response, await response.text());
				return raw ? response : decode(await response.text());
			} catch (cause) {
				if (inner.aborted || cause instanceof WindlassError) throw cause;
				throw new WindlassError({ code: "network", message: "the deployment was not reached: check the url and the network", retryable: true, cause });
			}
		});
	}

	/**
	 * Until close() at most.
	 * @template T
	 * @param {number} ms
	 * @param {AbortSignal | undefined} signal
	 * @param {(signal: AbortSignal) => Promise<T>} work
	 */
	async #within(ms, signal, work) {
		if (this.#ended) throw this.#ended;
		return within(ms, signal, work, this.#running);
	}

	/**
	 * @template T
	 * @param {AbortSignal | undefined} signal
	 * @param {(first: boolean, signal: AbortSignal) => Promise<T>} attempt
	 * @returns {Promise<T>}
	 */
	#retrying(signal, attempt) {
		return this.#within(0, signal, async (inner) => {
			for (let failures = 0; ; ) {
				try {
					return await attempt(failures === 0, inner);
				} catch (error) {
					inner.throwIfAborted();
					if (!(error instanceof WindlassError) || !error.retryable) throw error;
					await pause(Math.max(this.#backoff(++failures), error.retryAfterMs), inner);
				}
			}
		});
	}
}

/** @param {{session: string, operationId?: string}} of */
const nameOf = ({ session, operationId = "" }) => `${session}\n${operationId}`;

/** Whether one place in a turn, [round, attempt, run], is behind another. @param {number[]} a @param {number[] | undefined} b */
function later(a, b) {
	const i = a.findIndex((n, i) => n !== b?.[i]);
	return b === undefined || (i >= 0 && a[i] > b[i]);
}

/** What follows the first bytes of a text, which do not end within a character. @param {string} text @param {number} bytes */
const behind = (text, bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text).subarray(bytes));

/** The origin of the page, if there is one. */
const own = () => (/^http/.test(globalThis.location?.origin) ? globalThis.location.origin : "");

/** A page that is not served securely has no randomUUID. */
const newId = () => globalThis.crypto.randomUUID?.() ?? Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

const lost = () => new WindlassError({ code: "network", message: "the connection was lost", retryable: true });

const unreadable = () => new WindlassError({ code: "unreadable", message: "the answer is not what was asked for: check that the url is the deployment's", retryable: true });

/** @param {{code: string, message: string, retryable: boolean}} frame */
const refusal = ({ code, message, retryable }) => new WindlassError({ code, message, retryable });

/** @param {unknown} text @returns {any} what JSON it holds, or undefined */
function parse(text) {
	try {
		return JSON.parse(/** @type {string} */ (text));
	} catch {
		return undefined;
	}
}

/** @param {unknown} value */
const isObject = (value) => Object.prototype.toString.call(value) === "[object Object]";

/** @param {string} text */
function decode(text) {
	if (text === "") return undefined;
	const value = parse(text);
	if (value === undefined) throw unreadable();
	return value;
}

/** The gateway's own answers have no problem document. @param {Response} response @param {string} text */
function problem({ status, headers }, text) {
	const { code = CODES.get(status) ?? (AGAIN.has(status) ? "unavailable" : "invalid_request"), detail, message, retryable = AGAIN.has(status), traceId, operationId } = parse(text) ?? {};
	return new WindlassError({ code, message: detail ?? message ?? `the deployment answered ${status}`, status, retryable, traceId, operationId, retryAfterMs: retryAfter(headers.get("Retry-After")) });
}

/** @param {string | null} value seconds, or a date */
function retryAfter(value) {
	if (!value) return 0;
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return Math.min(Math.max(ms || 0, 0), RETRY_AFTER_MS);
}

/**
 * Runs work until it is done, the signal aborts, or ms have passed (0: never). The
 * work is told by a signal of its own, and not waited for.
 * @template T
 * @param {number} ms
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @param {Set<AbortController>} [running] where another may abort it
 * @returns {Promise<T>}
 */
async function within(ms, signal, work, running) {
	signal?.throwIfAborted();
	const inner = new AbortController();
	const alarm = new Alarm();
	const stop = () => inner.abort(signal?.reason);
	const aborted = new Promise((_, reject) => inner.signal.addEventListener("abort", () => reject(inner.signal.reason)));
	try {
		running?.add(inner);
		signal?.addEventListener("abort", stop);
		if (ms > 0) alarm.set(ms, () => inner.abort(new WindlassError({ code: "timeout", message: "there was no answer in time", retryable: true })));
		return await Promise.race([work(inner.signal), /** @type {Promise<never>} */ (aborted)]);
	} finally {
		running?.delete(inner);
		signal?.removeEventListener("abort", stop);
		alarm.clear();
	}
}

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
	const alarm = new Alarm();
	return within(0, signal, () => new Promise((resolve) => alarm.set(ms, () => resolve(undefined)))).finally(() => alarm.clear());
}
