import assert from "node:assert/strict";
import { test } from "node:test";
import { Files, Listing } from "../assets/files.js";

const row = (path, sha256) => ({ path, bytes: 1, sha256, contentType: "text/plain" });
const written = (seq, path) => ({ seq, type: "workspace.written", data: row(path, `at ${seq}`) });
const deleted = (seq, path) => ({ seq, type: "workspace.deleted", data: { path } });
const page = (asOfSeq, ...rows) => ({ files: rows.map(([path, seq]) => row(path, `at ${seq}`)), asOfSeq });

/** What a listing holds after these pages and events. */
const held = (...steps) => shown(steps.reduce(next, new Listing()));
const next = (listing, step) => (step === "again" ? listing.again() : ((step.files ? listing.take(step) : listing.apply(step)), listing));
const shown = ({ files }) => Object.fromEntries([...files].map(([path, { sha256 }]) => [path, sha256]));

test("events that come before the rows are taken after them, unless the rows are newer", () => {
	assert.deepEqual(held(written(5, "/a"), written(12, "/b"), deleted(13, "/c")), {});
	assert.deepEqual(held(written(5, "/a"), written(12, "/b"), deleted(13, "/c"), page(10, ["/a", 9], ["/b", 3], ["/c", 4])), { "/a": "at 9", "/b": "at 12" });
});

test("an older page changes nothing that an event has changed since", () => {
	const events = [written(12, "/a"), deleted(13, "/b"), written(14, "/new")];
	assert.deepEqual(held(page(10, ["/x", 1]), ...events, page(11, ["/a", 2], ["/b", 3], ["/c", 4])), { "/a": "at 12", "/c": "at 4", "/new": "at 14", "/x": "at 1" });
});

test("an event that a page has already seen changes nothing", () => {
	assert.deepEqual(held(page(10), page(20, ["/a", 18]), written(15, "/a"), deleted(16, "/a")), { "/a": "at 18" });
	assert.deepEqual(held(page(10), page(20, ["/a", 18]), written(21, "/a")), { "/a": "at 21" });
});

test("files that are read again are not older than the events that were there", () => {
	assert.deepEqual(held(page(10, ["/a", 2], ["/b", 3]), written(12, "/a"), deleted(13, "/b"), "again", page(11, ["/a", 2], ["/b", 3], ["/c", 4])), { "/a": "at 12", "/c": "at 4" });
	assert.deepEqual(held(page(10), written(12, "/a"), "again", page(20)), {});
});

/** The part of the page that reads, without the page: answers come when the test says. */
function reading() {
	const answers = [];
	const request = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
	return Object.assign(Object.create(Files.prototype), { answers, taken: [], session: "s", reads: 0, windlass: { request }, take(page) { this.taken.push(page); }, draw() {} });
}

test("the answer to an earlier read is dropped, and so is its failure", async () => {
	const files = reading();
	const reads = [files.read("a"), files.read("a"), files.read("b")];
	files.answers[2].resolve("new");
	files.answers[0].resolve("old");
	files.answers[1].reject(new Error("old"));
	await Promise.all(reads);
	assert.deepEqual([files.taken, files.failure], [["new"], undefined]);
});
