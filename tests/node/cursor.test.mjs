// What a cursor takes, keeps aside, and finds missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cursor } from "../../functions/internal/console/assets/windlass.js";
import { upTo } from "./world.mjs";

const frame = (from, to, seqs = upTo(to, from - 1)) => ({ session: "s", from, to, events: seqs.map((seq) => ({ seq })) });
const offer = (cursor, ...frames) => frames.flatMap((f) => cursor.offer(f, 10)).map((event) => event.seq);
const drain = (cursor) => {
	const seqs = [];
	for (let event = cursor.shift(); event; event = cursor.shift()) seqs.push(event.seq);
	return seqs;
};

test("the next frame is taken, a part of one too, and none twice", () => {
	const cursor = new Cursor(2);
	assert.deepEqual(offer(cursor, frame(1, 4)), [3, 4]);
	assert.deepEqual(offer(cursor, frame(3, 4), frame(1, 2)), []);
	assert.deepEqual(offer(cursor, frame(4, 6), frame(7, 7)), [5, 6, 7]);
	assert.deepEqual(drain(cursor), [3, 4, 5, 6, 7]);
	assert.deepEqual([cursor.seq, cursor.head, cursor.behind], [7, 7, false]);
});

test("frames of a filter move the cursor over what they leave out", () => {
	const cursor = new Cursor(0);
	assert.deepEqual(offer(cursor, frame(1, 9, [4]), frame(10, 20, []), frame(21, 21)), [4, 21]);
});

test("a frame that is ahead waits for what is missing", () => {
	const cursor = new Cursor(0);
	assert.deepEqual(offer(cursor, frame(5, 6), frame(3, 4), frame(5, 6)), []);
	assert.deepEqual([cursor.behind, cursor.head], [true, 6]);
	assert.deepEqual(offer(cursor, frame(1, 2)), [1, 2, 3, 4, 5, 6]);
	assert.equal(cursor.behind, false);
});

test("64 frames are kept aside: those that are needed first", () => {
	const cursor = new Cursor(0);
	for (let seq = 100; seq >= 2; seq--) offer(cursor, frame(seq, seq));
	assert.deepEqual(offer(cursor, frame(1, 1)), upTo(65));
	assert.equal(cursor.behind, true);
});

test("a head that is learnt shows what is missing, and never goes back", () => {
	const cursor = new Cursor(3);
	cursor.learn(5);
	cursor.learn(4);
	assert.deepEqual([cursor.behind, cursor.head], [true, 5]);
	cursor.learn(undefined);
	cursor.learn("9");
	assert.equal(cursor.head, 5);
});

test("2,000 events wait and no more; it is relieved when less than half do", () => {
	const cursor = new Cursor(0);
	for (let from = 1; from < 2500; from += 100) offer(cursor, frame(from, from + 99));
	assert.deepEqual([cursor.seq, cursor.full, cursor.behind], [2000, true, false]);
	for (let i = 0; i < 1000; i++) cursor.shift();
	assert.equal(cursor.relieved, false);
	cursor.shift();
	assert.equal(cursor.relieved, true);
	cursor.full = false;
	assert.equal(cursor.behind, true);
	assert.deepEqual(offer(cursor, frame(2001, 2001)), [2001]);
	assert.deepEqual(drain(cursor), upTo(2001, 1001));
});

test("8 MB of text wait and no more", () => {
	const cursor = new Cursor(0);
	for (let seq = 1; seq <= 100; seq++) cursor.offer(frame(seq, seq), 128 << 10);
	assert.deepEqual([cursor.seq, cursor.full], [64, true]);
	for (let i = 0; i < 32; i++) cursor.shift();
	assert.equal(cursor.relieved, false);
	cursor.shift();
	assert.equal(cursor.relieved, true);
});

test("a frame that alone is too large is taken when nothing waits", () => {
	const cursor = new Cursor(0);
	assert.equal(offer(cursor, frame(1, 3000)).length, 3000);
	assert.deepEqual(offer(cursor, frame(3001, 3001)), []);
	assert.equal(drain(cursor).length, 3000);
	assert.equal(cursor.relieved, true);
});
