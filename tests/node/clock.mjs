// A clock that moves when there is nothing else to do, in place of the real timers.

/** Numbers from 0 to below 1, the same for the same seed (a 32-bit mix of a counter). */
export function randomOf(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x9e3779b9) >>> 0;
		let x = state;
		x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
		x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
		return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
	};
}

export class Clock {
	now = 1_800_000_000_000;
	#real = { setTimeout, clearTimeout, now: Date.now };
	#next = 0;
	#due = new Map();
	/** Timers of the code under test, set through the globals. */
	timers = new Set();

	constructor() {
		globalThis.setTimeout = (ring, ms = 0) => {
			const id = this.at(ms, () => this.timers.delete(id) && ring());
			this.timers.add(id);
			return id;
		};
		globalThis.clearTimeout = (id) => this.timers.delete(id) && this.#due.delete(id);
		Date.now = () => this.now;
	}

	restore() {
		Object.assign(globalThis, { setTimeout: this.#real.setTimeout, clearTimeout: this.#real.clearTimeout });
		Date.now = this.#real.now;
	}

	/** Something that happens later in the world around the code under test. */
	at(ms, happen) {
		const id = ++this.#next;
		this.#due.set(id, { at: this.now + Math.max(0, ms), happen });
		return id;
	}

	sleep(ms) {
		return new Promise((resolve) => this.at(ms, resolve));
	}

	/** Lets time pass until something holds. Fails if it does not within ms. */
	async until(holds, ms = 60_000, what = "what was waited for") {
		const end = this.now + ms;
		for (await settle(); !holds(); await settle()) if (!this.#step(end)) throw new Error(`${what} did not happen in ${ms} ms`);
	}

	async pass(ms) {
		const end = this.now + ms;
		for (await settle(); this.#step(end); ) await settle();
		this.now = end;
	}

	/** Waits for a promise while time passes. */
	async wait(promise, ms = 60_000) {
		let settled = false;
		const over = () => (settled = true);
		promise.then(over, over);
		await this.until(() => settled, ms, "the promise's end");
		return promise;
	}

	#step(end) {
		let first;
		for (const [id, { at }] of this.#due) if (at <= end && (!first || at < first.at)) first = { id, at };
		if (!first) return false;
		const { happen } = this.#due.get(first.id);
		this.#due.delete(first.id);
		this.now = Math.max(this.now, first.at);
		happen();
		return true;
	}
}

/** Every promise that can go on has, when a macrotask comes round. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
