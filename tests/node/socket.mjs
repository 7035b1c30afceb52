// One connection of the deployment in memory: the server's half of the protocol.

export class FakeSocket {
	open = false;
	closed = false;
	/** subscriptions: name → {session, operationId} */
	rows = new Map();
	/** frames that the client sent */
	heard = [];
	/** unsubscribes on their way: name → {id, until} */
	leaving = new Map();

	constructor(deployment, url) {
		this.deployment = deployment;
		deployment.accuse(deployment.tickets.delete(url), "a ticket was used twice, or never given");
		deployment.accuse(
			deployment.sockets.every((socket) => socket.closed),
			"two sockets are open at once",
		);
		deployment.sockets.push(this);
		this.#later(() => this.#opened());
	}

	#opened() {
		if (this.deployment.chance(this.deployment.faults.http)) return this.cut();
		this.open = true;
		this.onopen?.({});
		const { lifeMs } = this.deployment.faults;
		if (lifeMs) this.deployment.clock.at(this.deployment.random() * lifeMs, () => this.#ends());
	}

	#ends() {
		if (this.deployment.chance(0.5)) this.say({ type: "closing", code: "lifetime", resume: [] });
		this.deployment.clock.at(5, () => this.cut());
	}

	/** The client's: a frame to the server. */
	send(text) {
		const { accuse, faults } = this.deployment;
		if (!this.open) throw new Error("InvalidStateError: the socket is not open");
		const frame = JSON.parse(text);
		accuse.call(this.deployment, frame.v === 1 && typeof frame.type === "string" && frame.id.length <= 128 && new TextEncoder().encode(text).length <= 24 << 10, `a bad frame: ${text.slice(0, 200)}`);
		this.heard.push(frame);
		this.#ordered(frame);
		if (this.deployment.chance(faults.lose)) return;
		this.#later(() => this.#receive(frame));
	}

	/** Frames are read in any order: one that a later one undoes has to be answered first. */
	#ordered({ type, id, session, operationId }) {
		const { clock } = this.deployment;
		const name = `${session}\n${operationId ?? ""}`;
		if (type === "unsubscribe") this.leaving.set(name, { id, until: clock.now + 10_000 });
		if (type === "subscribe") this.deployment.accuse(!(this.leaving.get(name)?.until > clock.now), "a subscribe may be overtaken by an unsubscribe");
	}

	#hears(id, text) {
		for (const [name, unsubscribe] of this.leaving) if (unsubscribe.id === id) this.leaving.delete(name);
		this.onmessage?.({ data: text });
	}

	/** The client's. */
	close() {
		this.closed = true;
		this.open = false;
	}

	/** The server's, or the network's. */
	cut() {
		if (this.closed) return;
		this.close();
		this.onclose?.({ code: 1000 });
	}

	/** A frame to the client, with what may become of it. */
	say(frame, id) {
		const { faults } = this.deployment;
		const text = JSON.stringify({ ...(frame.message === undefined || frame.type ? { v: 1 } : {}), ...frame, ...(id !== undefined && { id }) });
		const times = this.deployment.chance(faults.lose) ? 0 : this.deployment.chance(faults.double) ? 2 : 1;
		for (let i = 0; i < times; i++) this.#later(() => this.#hears(id, text));
	}

	/** Tells of a commit. */
	publish(session, from, to) {
		if (this.closed) return;
		for (const row of this.rows.values()) if (row.session === session) this.say(this.frame(row, from, to));
	}

	frame({ session, operationId }, from, to) {
		const events = this.deployment.logs
			.get(session)
			.slice(from - 1, to)
			.filter((event) => operationId === undefined || event.operationId === operationId)
			.map((event) => this.#sent(session, event));
		return { type: "events", session, ...(operationId !== undefined && { operationId }), from, to, events };
	}

	/** A large event is a reference to it. */
	#sent(session, event) {
		if (!event.large) return event;
		const { data, ...rest } = event;
		return { ...rest, fetch: `/v1/sessions/${session}/events?after=${event.seq - 1}&limit=1` };
	}

	#later(happen) {
		const { clock, random, faults } = this.deployment;
		clock.at(random() * faults.lateMs, () => this.closed || happen());
	}

	#receive(frame) {
		const { on, chance, faults } = this.deployment;
		if (on[frame.type]) return on[frame.type](frame, this);
		if (frame.type === "subscribe" && chance.call(this.deployment, faults.muteSubscribes)) return void this.deployment.unanswered++;
		if (chance.call(this.deployment, faults.mute)) return this.say({ message: "Internal server error", connectionId: "c", requestId: "r" });
		this[`_${frame.type}`](frame);
	}

	_subscribe({ id, session, operationId, after }) {
		const { logs, faults, random, accuse } = this.deployment;
		accuse.call(this.deployment, Number.isSafeInteger(after) && after >= 0, "after is no seq");
		const log = logs.get(session);
		if (!log) return this.say({ type: "error", session, code: "not_found", message: "no such session", retryable: false }, id);
		const row = { session, ...(operationId !== undefined && { operationId }) };
		this.rows.set(`${session}\n${operationId ?? ""}`, row);
		accuse.call(this.deployment, this.rows.size <= 32, "too many subscriptions");
		const head = log.length;
		const end = Math.min(head, after + Math.ceil(random() * faults.part));
		for (let at = after; at < end; ) {
			const to = Math.min(end, at + Math.ceil(random() * faults.page));
			this.say(this.frame(row, at + 1, to));
			at = to;
		}
		this.say({ type: "caught_up", ...row, seq: Math.max(end, after), head }, id);
	}

	_unsubscribe({ id, session, operationId }) {
		this.rows.delete(`${session}\n${operationId ?? ""}`);
		this.say({ type: "result" }, id);
	}

	_submit({ id, session, ...submission }) {
		const { receipt, error } = this.deployment.submit(session, submission);
		this.say(error ? { type: "error", ...error } : { type: "result", receipt }, id);
	}

	_snapshot({ id, session }) {
		const log = this.deployment.logs.get(session) ?? [];
		this.say({ type: "snapshot", session, operations: [], asOfSeq: log.length }, id);
	}

	_ping({ id }) {
		const sessions = new Set([...this.rows.values()].map((row) => row.session));
		this.say({ type: "pong", heads: Object.fromEntries([...sessions].map((session) => [session, this.deployment.logs.get(session).length])) }, id);
	}
}
