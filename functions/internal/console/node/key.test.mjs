import assert from "node:assert/strict";
import { test } from "node:test";
import { storedKey, watchKey } from "../assets/key.js";

/** What a browser has, in a tab at a URL; it says what became of it. */
function tab(hash) {
	const kept = new Map();
	const page = { url: `/${hash}`, reloads: 0, target: new EventTarget() };
	globalThis.location = { get hash() { return page.url.slice(1); }, pathname: "/", reload: () => page.reloads++ };
	globalThis.history = { replaceState: (_state, _title, url) => (page.url = url) };
	globalThis.sessionStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
	globalThis.addEventListener = (type, listener) => page.target.addEventListener(type, listener);
	page.go = (to) => {
		page.url = `/${to}`;
		page.target.dispatchEvent(new Event("hashchange"));
	};
	return page;
}

test("a key in the URL is taken from it", () => {
	const page = tab("#key=wl_%2B1");
	assert.deepEqual([storedKey(), page.url, storedKey()], ["wl_+1", "/", "wl_+1"]);
});

test("a key that is pasted into the open page is taken, and the page begins anew", () => {
	const page = tab("#key=wl_old");
	const seen = [];
	watchKey();
	page.target.addEventListener("hashchange", () => seen.push(page.url));
	storedKey();
	page.go("#/sessions/a");
	assert.deepEqual([page.reloads, seen], [0, ["/#/sessions/a"]]);
	page.go("#key=wl_new");
	assert.deepEqual([page.reloads, page.url, storedKey(), seen.length], [1, "/", "wl_new", 1]);
});
