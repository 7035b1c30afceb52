// key.js keeps the API key: for this tab and this session of the browser only,
// never in a URL that is sent, a cookie or a log.

import { the, write } from "./dom.js";

const KEY = "windlass.key";
const REASON = "windlass.reason";

/** The key, from the fragment that a banner's link carries or from this tab; empty if there is none. */
export function storedKey() {
	take();
	return sessionStorage.getItem(KEY) ?? "";
}

/** Takes a key that is given to the open page, too; the page begins anew with it. */
export function watchKey() {
	addEventListener("hashchange", (event) => {
		if (take()) {
			event.stopImmediatePropagation(); // no part of the old page is to read the URL
			location.reload(); // nothing of the old tenant may stay on the page
		}
	});
}

/** Moves a key from the URL to this tab. */
function take() {
	const given = /^#key=(.+)$/.exec(location.hash);
	if (given) {
		history.replaceState(null, "", location.pathname);
		sessionStorage.setItem(KEY, decoded(given[1]));
	}
	return given !== null;
}

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // not percent-encoded after all
	}
}

/** Forgets the key and all that was read with it, and asks for one again. */
export function forgetKey(reason = "") {
	sessionStorage.removeItem(KEY);
	sessionStorage.setItem(REASON, reason);
	location.reload(); // nothing of the old tenant may stay on the page
}

/** Shows the form, with the reason why the last key was given up. */
export function askForKey(begin) {
	const form = the("gate-form");
	the("gate").hidden = false;
	write(the("gate-reason"), sessionStorage.getItem(REASON) ?? "");
	sessionStorage.removeItem(REASON);
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const key = the("gate-key").value.trim();
		if (key) {
			sessionStorage.setItem(KEY, key);
			the("gate-key").value = "";
			the("gate").hidden = true;
			begin(key);
		}
	}, { once: true });
	the("gate-key").focus();
}
