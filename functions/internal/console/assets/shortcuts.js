// shortcuts.js says which key does what.

import { the } from "./dom.js";
import { showShortcuts } from "./keyboard.js";

/** The keys of the page. */
export function shortcuts(app) {
	const view = (keys, name, says) => ({ keys, says, run: () => (app.views.show(name), focusIn(name)) });
	const beside = (step) => () => {
		const id = app.operations.beside(step);
		id && app.choose(id, true);
	};
	return [
		{ keys: "?", says: "these shortcuts", run: showShortcuts },
		{ keys: "p", says: "write a prompt", run: () => (app.views.visible("transcript") || app.views.show("transcript"), the("prompt").focus()) },
		{ keys: "n", says: "open or name a session", run: () => (app.views.visible("sessions") || app.views.show("sessions"), the("new-session-name").focus()) },
		view("s", "sessions", "sessions"),
		view("t", "timeline", "timeline"),
		view("f", "files", "files"),
		view("l", "log", "log"),
		{ keys: "/", says: "find in the log", run: () => (app.views.show("log"), app.log.text.focus()) },
		{ keys: "j", says: "older operation", run: beside(1) },
		{ keys: "k", says: "newer operation", run: beside(-1) },
		{ keys: "x", says: "go to the Cancel of what runs", run: () => (app.views.visible("transcript") || app.views.show("transcript"), app.transcript.toCancel(app.chosen)) },
		{ keys: "a", says: "go to the next call that waits for you", run: () => (app.views.visible("transcript") || app.views.show("transcript"), app.transcript.toApproval(app.chosen)) },
		{ keys: "o", says: "open all calls", run: () => app.transcript.foldCalls(false) },
		{ keys: "c", says: "fold all calls", run: () => app.transcript.foldCalls(true) },
		{ keys: "w", says: "widen the view beside, or narrow it", run: () => app.views.widen() },
		{ keys: "e", says: "go to the end, and stay there", run: () => app.transcript.toEnd() },
	];
}

function focusIn(name) {
	/** @type {any} */ (the(`panel-${name}`).querySelector('a[href]:not([tabindex="-1"]), [tabindex="0"]'))?.focus();
}
