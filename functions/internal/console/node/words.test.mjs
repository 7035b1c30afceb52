import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, duration, instant, line, parts } from "../assets/format.js";
import { lines } from "../assets/tree.js";
import { decided, mended, used } from "../assets/words.js";

test("times keep their microseconds", () => {
	assert.ok(Math.abs(instant("2026-01-02T03:04:05.678901Z") - Date.parse("2026-01-02T03:04:05.678Z") - 0.901) < 0.001);
	assert.equal(instant("2026-01-02T03:04:05.678Z"), Date.parse("2026-01-02T03:04:05.678Z"));
	assert.equal(instant("2026-01-02T03:04:05Z"), Date.parse("2026-01-02T03:04:05Z"));
});

test("sizes and durations are written for people", () => {
	assert.deepEqual([0, 162, 1024, 40_000, 3 << 20, 52_428_800].map(bytes), ["0 B", "162 B", "1.0 KiB", "39 KiB", "3.0 MiB", "50 MiB"]);
	assert.deepEqual([-1, 0.38, 7.4, 41.6, 412, 2310, 59_940, 192_000].map(duration), ["0 ms", "0.4 ms", "7.4 ms", "42 ms", "412 ms", "2.31 s", "59.9 s", "3 min 12 s"]);
});

test("a text on one line is a line, and not too long", () => {
	assert.equal(line("a\n\tb  c", 10), "a b c");
	assert.equal(line("abcdefghij", 5), "abcd…");
	assert.equal(line("/drafts/\u202etxt.exe", 40), "/drafts/\\u202etxt.exe");
	assert.equal(parts("a b", "", false, "c"), "a\u00a0b\u00a0· c");
});

test("paths become a tree, folders first, and a closed one hides what is in it", () => {
	const files = ["/z.txt", "/b/2.txt", "/b/1.txt", "/a/x/deep.txt", "/__proto__/constructor"].map((path) => ({ path, bytes: 1 }));
	const seen = (folded) => lines(files, new Set(folded)).map((n) => `${n.level}${n.folder ? "+" : " "}${n.path}`);
	assert.deepEqual(seen([]), ["1+/__proto__", "2 /__proto__/constructor", "1+/a", "2+/a/x", "3 /a/x/deep.txt", "1+/b", "2 /b/1.txt", "2 /b/2.txt", "1 /z.txt"]);
	assert.deepEqual(seen(["/a", "/b"]), ["1+/__proto__", "2 /__proto__/constructor", "1+/a", "1+/b", "1 /z.txt"]);
});

test("codes are said in words, and one that nobody knows as it is", () => {
	assert.equal(mended([{ kind: "result_added", item: 3 }, { kind: "dreamt_of", item: 4 }, { kind: "result_added", item: 9 }]), "a call’s result added that says it is lost, 2 times; dreamt_of");
	assert.equal(decided({ decision: "did_not_happen" }, ""), "did not happen");
	assert.equal(decided({ decision: "approve", arguments: "{}", note: "half" }, ""), "approve, with other arguments, “half”");
	assert.equal(decided({ decision: "deny", by: "wl_ab12" }, ""), "deny, by the key wl_ab12…");
	assert.deepEqual(used({ usage: { inputTokens: 1200, outputTokens: 3, cachedTokens: 1000 }, cost: "0.5", cacheMiss: "expired" }), ["1,200 tokens in, 3 out", "1,000 cached", "$0.50", "cache missed: it was too long ago"]);
	assert.deepEqual(used({ usage: undefined }), []);
});
