// app.js puts the page together: one client, one session at a time, and the parts
// that show it.

import { Windlass } from "/windlass.js";
import { Connection } from "./connection.js";
import { button, h, the, write } from "./dom.js";
import { Feed } from "./feed.js";
import { Files } from "./files.js";
import { Fold, settled } from "./fold.js";
import { count, instant } from "./format.js";
import { askForKey, forgetKey, storedKey } from "./key.js";
import { keyboard, showShortcuts } from "./keyboard.js";
import { Log } from "./log.js";
import { Operations } from "./operations.js";
import { Sessions } from "./sessions.js";
import { Submit } from "./submit.js";
import { Timeline } from "./timeline.js";
import { empty, Transcript } from "./transcript.js";
import { Verify } from "./verify.js";
import { Views } from "./views.js";

class App {
	constructor(key) {
		this.session = "";
		this.fold = new Fold();
		this.windlass = client(key);
		this.views = new Views((name) => this.shown?.(name));
		this.connection = new Connection(this.windlass, refused);
		this.sessions = new Sessions(this.windlass);
		this.operations = new Operations(this.windlass, (id) => this.choose(id, true));
		const blob = (sha256) => this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(this.session)}/blobs/${sha256}`, { raw: true });
		this.transcript = new Transcript({ blob, openFile: (path) => this.openFile(path), example: () => this.submit.example() });
		this.timeline = new Timeline({ visible: () => this.views.visible("timeline"), jump: (operation, round) => this.jump(operation, round) });
		this.log = new Log({ visible: () => this.views.visible("log") });
		this.files = new Files(this.windlass, { visible: () => this.views.visible("files") });
		this.submit = new Submit(this.windlass, { session: () => this.session, accepted: (receipt) => this.accepted(receipt), show: (id) => this.choose(id, true) });
		this.verify = new Verify(this.windlass, { session: () => this.session, running: () => this.running(), accepted: (receipt) => this.accepted(receipt), offer: () => this.views.offer("verify") });
		this.shown = (name) => (name === "timeline" ? this.timeline.draw() : name === "log" ? this.log.draw() : name === "transcript" && this.transcript.keep());
	}

	start() {
		the("console").hidden = false;
		the("forget").addEventListener("click", () => forgetKey());
		the("new-session").addEventListener("submit", (event) => {
			event.preventDefault();
			const name = the("new-session-name").value.trim();
			if (name) {
				the("new-session-name").value = "";
				location.hash = `#/sessions/${encodeURIComponent(name)}`;
				matchMedia("(min-width: 1100px)").matches && the("prompt").focus();
			}
		});
		addEventListener("hashchange", () => this.open());
		keyboard(this.shortcuts());
		this.open();
		this.sessions.read();
		this.verify.look();
	}

	/** Opens the session that the URL names. */
	open() {
		const name = sessionOf(location.hash);
		if (name === this.session && this.feed) {
			return;
		}
		this.feed?.stop();
		this.feed = undefined;
		this.session = name;
		document.title = name ? `${name} · Windlass` : "Windlass";
		write(the("title"), name || "No session");
		this.fold = new Fold();
		this.chosen = "";
		this.sessions.select(name);
		this.connection.follow(name);
		for (const part of [this.operations, this.files]) {
			part.reset(name);
		}
		this.submit.reset();
		this.log.reset();
		this.timeline.show(undefined);
		if (!name) {
			this.transcript.reset(empty(h("h2", { text: "No session is open" }), h("p", { text: "Choose one, or name a new one: its first prompt opens it." })));
			this.views.current === "transcript" && !matchMedia("(min-width: 1100px)").matches && this.views.show("sessions");
			return;
		}
		this.transcript.reset(empty(h("p", { text: "Reading…" })));
		this.views.current === "sessions" && this.views.show("transcript");
		this.follow(name);
	}

	follow(name) {
		const feed = new Feed(this.windlass, name, {
			opened: (page, after) => this.opened(page, after),
			batch: (events) => this.batch(events),
			missing: () => this.transcript.opened || this.transcript.reset(this.invitation()),
			failed: (error) => (error.status === 401 ? refused(error) : write(the("announce"), `The session could not be followed: ${error.message}`)),
		});
		this.feed = feed;
		feed.run();
	}

	opened(page, after) {
		this.operations.page(page);
		this.log.reset(after);
		this.files.read("");
		this.sessions.rows.has(this.session) || this.sessions.read();
		this.transcript.reset(after > 0 ? h("p", { class: "aside", text: `The first ${count(after)} events of this session are not loaded.` }) : page.asOfSeq ? undefined : this.invitation());
	}

	invitation() {
		return empty(h("h2", { text: `${this.session} is not opened yet` }), h("p", { text: "Its first prompt opens it. An agent that needs no account:" }),
			h("div", { class: "row center" }, ["demo", "stress"].map((name) => button(`Try ${name}`, () => {
				the("agent").value = name;
				this.submit.example();
			}))));
	}

	batch(events) {
		const touched = new Set();
		for (const event of events) {
			const operation = this.fold.apply(event);
			operation && touched.add(operation);
		}
		this.timeline.heard(instant(events.at(-1).at));
		this.transcript.apply(events, this.fold);
		this.log.apply(events);
		this.files.apply(events);
		this.connection.reached(this.session, events.at(-1).seq);
		touched.forEach((operation) => this.touched(operation));
	}

	touched(operation) {
		this.operations.put(operation);
		this.submit.follow(operation);
		const newest = !this.pinned || !this.fold.operations.has(this.chosen);
		if (newest && operation.id !== this.chosen && (!this.running(this.chosen) || operation.status === "running")) {
			this.choose(operation.id, false);
		}
		operation.id === this.chosen && this.timeline.changed();
		if (settled(operation.status) && this.said !== `${operation.id} ${operation.status}`) {
			this.said = `${operation.id} ${operation.status}`;
			this.feed.cursor === operation.lastSeq && write(the("announce"), `${operation.id} ${operation.status}`);
		}
	}

	/** Chooses an operation; by hand it stays chosen while others come. */
	choose(id, byHand) {
		this.pinned = byHand;
		this.chosen = id;
		this.operations.select(id);
		this.timeline.show(this.fold.operations.get(id));
		byHand && this.jump(id);
	}

	/** The operation that runs, or the one with this id if it runs. */
	running(id) {
		const found = id === undefined ? [...this.fold.operations.values()].find((o) => !settled(o.status)) : this.fold.operations.get(id);
		return found && !settled(found.status) ? found : undefined;
	}

	jump(operation, round) {
		this.views.current === "transcript" || matchMedia("(min-width: 1100px)").matches || this.views.show("transcript");
		this.transcript.jump(operation, round);
	}

	openFile(path) {
		this.views.show("files");
		this.files.open(path);
	}

	accepted(receipt) {
		this.pinned = false;
		this.feed?.again();
		this.transcript.toEnd();
		this.connection.moved({ session: this.session, head: receipt.after });
		this.sessions.rows.has(this.session) || this.sessions.read();
	}

	shortcuts() {
		const view = (keys, name, says) => ({ keys, says, run: () => (this.views.show(name), this.focusIn(name)) });
		const beside = (step) => () => {
			const id = this.operations.beside(step);
			id && this.choose(id, true);
		};
		return [
			{ keys: "?", says: "these shortcuts", run: showShortcuts },
			{ keys: "p", says: "write a prompt", run: () => (this.views.visible("transcript") || this.views.show("transcript"), the("prompt").focus()) },
			{ keys: "n", says: "open or name a session", run: () => (this.views.visible("sessions") || this.views.show("sessions"), the("new-session-name").focus()) },
			view("s", "sessions", "sessions"),
			view("t", "timeline", "timeline"),
			view("f", "files", "files"),
			view("l", "log", "log"),
			{ keys: "/", says: "find in the log", run: () => (this.views.show("log"), this.log.text.focus()) },
			{ keys: "j", says: "older operation", run: beside(1) },
			{ keys: "k", says: "newer operation", run: beside(-1) },
			{ keys: "o", says: "open all calls", run: () => this.transcript.foldCalls(false) },
			{ keys: "c", says: "fold all calls", run: () => this.transcript.foldCalls(true) },
			{ keys: "w", says: "widen the view beside, or narrow it", run: () => this.views.widen() },
			{ keys: "e", says: "go to the end, and stay there", run: () => this.transcript.toEnd() },
		];
	}

	focusIn(name) {
		/** @type {any} */ (the(`panel-${name}`).querySelector('[tabindex="0"]'))?.focus();
	}
}

// client is the one client. A key that is refused anywhere is given up.
function client(key) {
	const windlass = new Windlass({ url: location.origin, key });
	const request = windlass.request.bind(windlass);
	windlass.request = async (...args) => {
		try {
			return await request(...args);
		} catch (error) {
			error.status === 401 && refused(error);
			throw error;
		}
	};
	return windlass;
}

function refused(error) {
	forgetKey(`The key was refused: ${error.message}`);
}

const sessionOf = (hash) => {
	const found = /^#\/sessions\/([^/]+)/.exec(hash);
	try {
		return found ? decodeURIComponent(found[1]) : "";
	} catch {
		return "";
	}
};

const key = storedKey();
const begin = (given) => new App(given).start();
key ? begin(key) : askForKey(begin);
