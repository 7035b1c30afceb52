// app.js puts the page together: one client, one session at a time, and the parts
// that show it.

import { sessionLink } from "./child.js";
import { client, refused } from "./client.js";
import { Connection } from "./connection.js";
import { button, h, replace, the, write } from "./dom.js";
import { Feed } from "./feed.js";
import { Files } from "./files.js";
import { asking, Fold, settled } from "./fold.js";
import { count, instant } from "./format.js";
import { askForKey, forgetKey, storedKey, watchKey } from "./key.js";
import { keyboard } from "./keyboard.js";
import { Log } from "./log.js";
import { Operations } from "./operations.js";
import { Sessions } from "./sessions.js";
import { shortcuts } from "./shortcuts.js";
import { Spent } from "./spent.js";
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
		this.spent = new Spent(this.windlass, (session) => this.sessions.know(session));
		this.transcript = new Transcript({
			blob, openFile: (path) => this.openFile(path), cancel: (id) => this.windlass.cancel(this.session, id),
			decide: (id, step, { verb, ...answer }) => this.windlass[verb](this.session, id, step, answer), argumentsOf: (id, step) => this.argumentsOf(id, step),
		});
		this.timeline = new Timeline({ visible: () => this.views.visible("timeline"), jump: (operation, round) => this.jump(operation, round) });
		this.log = new Log({ visible: () => this.views.visible("log") });
		this.files = new Files(this.windlass);
		this.submit = new Submit(this.windlass, { session: () => this.session, operation: (id) => this.fold.operations.get(id), accepted: (receipt) => this.accepted(receipt), show: (id) => this.choose(id, true) });
		this.verify = new Verify(this.windlass, { session: () => this.session, running: () => this.running(), accepted: (receipt) => this.accepted(receipt), offer: () => this.views.offer("verify") });
		this.windlass.addEventListener("preview", ({ detail }) => detail.session === this.session && this.transcript.preview(detail));
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
		keyboard(shortcuts(this));
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
		write(the("title"), name || "No session");
		this.fold = new Fold();
		this.chosen = "";
		this.sessions.select(name);
		this.connection.follow(name);
		for (const part of [this.operations, this.files, this.spent]) {
			part.reset(name);
		}
		this.under(undefined);
		this.entitle();
		this.submit.reset();
		this.log.reset();
		this.timeline.show(undefined);
		if (!name) {
			this.transcript.reset(empty(h("h2", { text: "No session is open" }), h("p", { text: "Choose one, or name a new one: its first prompt opens it." }),
				h("div", { class: "row center" }, button("Open the session demo", () => (location.hash = "#/sessions/demo")))));
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
			missing: () => this.missing(),
			failed: (error) => this.unread(error),
			polled: (is) => this.connection.polled(is),
		});
		this.feed = feed;
		feed.run();
	}

	missing() {
		this.sessions.missing();
		this.transcript.opened || this.transcript.reset(this.invitation());
	}

	// entitle says in the window's title, too, that somebody is waited for.
	entitle() {
		const waits = this.operations.waiting.size > 0;
		document.title = [waits && "Waits for you", this.session, "Windlass"].filter(Boolean).join(" · ");
		this.session && this.sessions.waits(this.session, waits);
	}

	// unread says why there is nothing to read; the feed tries again by itself.
	unread(error) {
		const text = `The session cannot be read now: ${error.message}. It is tried again.`;
		this.transcript.opened ? write(the("announce"), text) : this.transcript.reset(empty(h("p", { class: "error", text }), button("Try now", () => this.feed?.again())));
	}

	opened(page, after) {
		this.operations.page(page);
		this.submit.know(this.operations.unsettled.size > 0);
		this.log.reset(after);
		this.files.read("");
		this.spent.read();
		this.entitle();
		this.sessions.rows.has(this.session) || this.sessions.read();
		this.transcript.reset(after > 0 ? h("p", { class: "aside", text: `The first ${count(after)} events of this session are not loaded.` }) : page.asOfSeq ? undefined : this.invitation());
	}

	invitation() {
		return empty(h("h2", { text: `${this.session} is not opened yet` }), h("p", { text: "Its first prompt opens it. An agent that needs no account:" }),
			h("div", { class: "row center" }, ["demo", "careful", "stress"].map((name) => button(`Try ${name}`, () => {
				the("agent").value = name;
				this.submit.example();
			}))));
	}

	batch(events) {
		const touched = new Set();
		for (const event of events) {
			const operation = this.fold.apply(event);
			operation && touched.add(operation);
			event.type === "session.opened" && this.under(event.data.parent);
		}
		this.timeline.heard(instant(events.at(-1).at));
		this.transcript.apply(events, this.fold);
		this.log.apply(events);
		this.files.apply(events);
		this.spent.apply(events);
		this.connection.reached(this.session, events.at(-1).seq);
		touched.forEach((operation) => this.touched(operation));
		this.submit.know(this.operations.unsettled.size > 0);
		this.entitle();
		this.chooseNewest([...touched]);
		touched.has(this.fold.operations.get(this.chosen)) && this.timeline.changed();
	}

	// under says at the top of the page which session this one works for.
	under(parent) {
		replace(the("parent"), parent && ["for ", sessionLink(parent.session)]);
		the("parent").hidden = !parent;
	}

	touched(operation) {
		this.operations.put(operation);
		this.submit.follow(operation);
		if (operation.lastSeq === this.feed.cursor && (settled(operation.status) || asking(operation))) {
			write(the("announce"), `${operation.id} ${asking(operation) ? "waits for you" : operation.status}`);
		}
	}

	// chooseNewest goes with what happens, unless something was chosen by hand.
	chooseNewest(touched) {
		const newest = touched.findLast((o) => o.status === "running" || o.status === "waiting") ?? touched.at(-1);
		const stays = this.pinned && this.fold.operations.has(this.chosen);
		if (newest && !stays && newest.id !== this.chosen && (newest.status === "running" || !this.running(this.chosen))) {
			this.choose(newest.id, false);
		}
	}

	/** Chooses an operation; by hand it stays chosen while others come. */
	choose(id, byHand) {
		this.pinned = byHand;
		this.chosen = id;
		this.operations.select(id);
		const known = this.fold.operations.get(id);
		this.timeline.show(known, known ? "" : "The events of this operation stand before those that are loaded.");
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

	// argumentsOf finds those of a call that waits, where the events that name them are
	// not loaded.
	async argumentsOf(id, step) {
		const { approvals = [] } = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(this.session)}/operations/${encodeURIComponent(id)}`);
		const found = approvals.find(({ round, index }) => `${round}.${index}` === step);
		if (found?.arguments === undefined) {
			throw new Error("it is not waited for any more");
		}
		return found.arguments;
	}

	openFile(path) {
		this.views.show("files");
		this.files.open(path);
	}

	accepted(receipt) {
		this.pinned = false;
		this.feed?.again();
		receipt.steered ? this.transcript.show(receipt.operationId) : this.transcript.toEnd();
		this.connection.moved({ session: this.session, head: receipt.after });
		this.sessions.rows.has(this.session) || this.sessions.read();
	}
}

const sessionOf = (hash) => {
	const found = /^#\/sessions\/([^/]+)/.exec(hash);
	try {
		return found ? decodeURIComponent(found[1]) : "";
	} catch {
		return "";
	}
};

watchKey(); // before the page listens to its URL
const key = storedKey();
const begin = (given) => new App(given).start();
key ? begin(key) : askForKey(begin);
