// verify.js kills the process under a running turn, on a laptop only, and shows
// that nothing is lost, doubled or reordered: it follows the turn over the socket
// to its end and holds what came against the log.

import { button, h, icon, replace, the } from "./dom.js";
import { checks } from "./checks.js";
import { Collector } from "./collector.js";
import { settled } from "./fold.js";
import { clock, count, duration, many } from "./format.js";
import { newID, STRESS } from "./submit.js";

const ROUNDS_FIRST = 5; // rounds that a turn is in before its process is killed
const PATIENCE = 180_000; // ms
const INTRO = "Starts a turn of 40 rounds if none runs, kills the process in the middle of it, waits until the turn is done, and compares every event that came over the socket with the log.";

export class Verify {
	/** @param {{session: () => string, running: () => any, accepted: (receipt: any) => void, offer: () => void}} app */
	constructor(windlass, app) {
		Object.assign(this, { windlass, app });
		this.start = button("Restart and verify", () => this.run(), { class: "primary" });
		this.cancel = button("Stop", () => this.stop?.abort(), { hidden: true });
		this.steps = h("ol", { class: "verify-steps", role: "log", "aria-label": "What happens" });
		this.map = h("div", { class: "verify-map" });
		this.result = h("div", { role: "status", "aria-live": "polite" });
		the("panel-verify").append(h("div", { class: "verify" }, h("p", { text: INTRO }), h("div", { class: "row" }, this.start, this.cancel), this.result, this.map, this.steps));
	}

	/** Offers itself if this is the lane that can be restarted. */
	async look() {
		const lane = await this.lane();
		if (lane?.lane === "embedded") {
			this.app.offer();
		}
	}

	async lane(signal) {
		try {
			return await this.windlass.request("GET", "/_local", { signal });
		} catch {
			return undefined; // anywhere else there is no such route
		}
	}

	async run() {
		const session = this.app.session();
		if (!session) {
			this.say("bad", "Open a session first.");
			return;
		}
		this.begin();
		const { signal } = this.stop;
		const timeout = setTimeout(() => this.stop.abort(new Error(`it took more than ${duration(PATIENCE)}`)), PATIENCE);
		const states = this.watch();
		try {
			await this.prove(session, signal);
		} catch (error) {
			const byHand = signal.aborted && signal.reason?.name === "AbortError";
			this.say("bad", byHand ? "Stopped; the turn goes on" : `It could not be verified: ${signal.aborted ? signal.reason.message : error.message}`);
			replace(this.result, h("p", { class: "verdict bad" }, icon("cross"), "Not verified"));
		} finally {
			clearTimeout(timeout);
			this.stop.abort();
			states();
			this.start.disabled = false;
			this.cancel.hidden = true;
		}
	}

	begin() {
		this.stop = new AbortController();
		this.start.disabled = true;
		this.cancel.hidden = false;
		this.kill = undefined;
		this.drawn = "";
		replace(this.steps);
		replace(this.result);
		replace(this.map);
	}

	async prove(session, signal) {
		const before = (await this.lane(signal))?.startedAt ?? ""; // first: later the turn goes on meanwhile
		const { id, from } = await this.turn(session, signal);
		const seen = new Collector(id, () => this.draw(seen));
		const following = seen.follow(this.windlass.events(session, { after: 0, signal }));
		following.catch(() => {}); // awaited below; it may fail before that
		await Promise.race([seen.until(() => seen.round >= from, signal), following]);
		if (seen.ended) {
			throw new Error("the turn ended before its process could be killed; try again");
		}
		this.kill = { seq: seen.events.at(-1).seq, round: seen.round, at: Date.now() };
		this.say("mark", `Kill: in round ${seen.round}, after seq ${count(this.kill.seq)}`);
		await this.restart(signal);
		await following;
		const after = (await this.lane(signal))?.startedAt ?? "";
		this.say("done", `The turn ended, seq ${count(seen.events.at(-1).seq)}, ${duration(Date.now() - this.kill.at)} after the kill`);
		const logged = await this.log(session, seen.events.length, signal);
		this.say("done", `Read ${many(logged.length, "event")} of the log over HTTP`);
		this.draw(seen, true);
		this.show(checks({ delivered: seen.events, logged, operation: id, killedAfter: this.kill.seq, replaced: { before, after } }));
	}

	// turn finds the running turn, or starts one that lasts; and says in which round
	// its process is to be killed.
	async turn(session, signal) {
		const running = this.app.running();
		if (running?.status === "waiting") {
			throw new Error(`operation ${running.id} waits for a person; cancel it first, or verify in another session`);
		}
		if (running && !settled(running.status)) {
			this.say("done", `Uses the turn that runs: ${running.id}`);
			return { id: running.id, from: Math.max(ROUNDS_FIRST, running.round + 1) };
		}
		const receipt = await this.windlass.submit(session, { prompt: JSON.stringify(STRESS), agent: "stress", operationId: `verify-${newID().slice(0, 8)}`, signal });
		this.app.accepted(receipt);
		this.say("done", `Submitted a turn of ${STRESS.rounds} rounds: ${receipt.operationId}`);
		return { id: receipt.operationId, from: ROUNDS_FIRST };
	}

	// restart may lose its answer: the process that would give it is gone.
	async restart(signal) {
		try {
			await this.windlass.request("POST", "/_local/restart", { signal, raw: true });
		} catch (error) {
			if (error.status >= 400 || signal.aborted) {
				throw error;
			}
		}
	}

	// watch says how the connection goes and comes back.
	watch() {
		const listen = () => {
			const { connection } = this.windlass.state;
			if (this.kill && connection !== this.connection) {
				this.connection = connection;
				const words = { open: "Connected again", waiting: "The connection is gone; waits to connect", connecting: "Connects" };
				words[connection] && this.say(connection === "open" ? "done" : "mark", `${words[connection]}, ${duration(Date.now() - this.kill.at)} after the kill`);
			}
		};
		this.connection = this.windlass.state.connection;
		this.windlass.addEventListener("state", listen);
		return () => this.windlass.removeEventListener("state", listen);
	}

	// log reads the log through HTTP, as far as the socket delivered it.
	async log(session, length, signal) {
		const all = [];
		while (all.length < length) {
			const page = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(session)}/events?after=${all.at(-1)?.seq ?? 0}&limit=1000`, { signal });
			if (page.events.length === 0) {
				break;
			}
			all.push(...page.events);
		}
		return all.slice(0, length);
	}

	say(state, text) {
		this.steps.append(h("li", { "data-state": state }, icon({ done: "check", bad: "cross", mark: "takeover" }[state]), h("span", { class: "mono about", text: clock(Date.now()) }), h("span", { text })));
	}

	// draw marks each round of the turn as before or after the kill.
	draw(seen, done = false) {
		if (!this.kill && !seen.round) {
			return;
		}
		const key = `${seen.round} ${this.kill?.round} ${done}`;
		if (key === this.drawn) {
			return;
		}
		this.drawn = key;
		const at = this.kill?.round ?? Infinity;
		const cells = Array.from({ length: seen.round }, (_, i) => h("li", { "data-when": i + 1 < at ? "before" : i + 1 === at ? "during" : "after", title: `Round ${i + 1}` }));
		const text = this.kill ? `Rounds 1 to ${at - 1} were done before the kill, round ${at} was under way, ${seen.round > at ? `${at + 1} to ${seen.round} came after it` : "none came after it yet"}.` : `Round ${seen.round} runs.`;
		const legend = this.kill && h("ul", { class: "legend", "aria-hidden": "true" }, ["before", "killed", "after"].map((name) => h("li", { class: `key-${name}`, text: name })));
		replace(this.map, h("ol", { class: "cells", "aria-hidden": "true" }, cells), legend, h("p", { class: "note", text }));
	}

	show(all) {
		const bad = all.filter((check) => !check.ok).length;
		const verdict = bad ? `${many(bad, "check")} of ${all.length} failed` : `All ${all.length} checks hold`;
		replace(this.result, h("p", { class: `verdict ${bad ? "bad" : "good"}` }, icon(bad ? "cross" : "check"), verdict),
			h("ul", { class: "checks" }, all.map((check) => h("li", { "data-ok": String(check.ok) }, icon(check.ok ? "check" : "cross"),
				h("div", {}, h("p", { class: "check-name", text: `${check.name}${check.ok ? "" : ": no"}` }), h("p", { class: "about", text: check.detail }))))));
	}
}
