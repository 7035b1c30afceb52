import assert from "node:assert/strict";
import { test } from "node:test";
import { indent, members, seen, whyNoObject } from "../assets/jsontext.js";

test("JSON is laid out, and stays what it is to the digit", () => {
	assert.equal(indent('{"n":12345678901234567890.10,"e":{},"l":[ ],"a":[1,{"s":"x, {\\"y\\\\"}]}'), `{
  "n": 12345678901234567890.10,
  "e": {},
  "l": [],
  "a": [
    1,
    {
      "s": "x, {\\"y\\\\"
    }
  ]
}`);
	for (const json of ['"a b"', "1", "[]", '{"":null}', '[[[true]],"]"]', '{"a":"\\u0041\\n"}']) {
		assert.deepEqual(JSON.parse(indent(json)), JSON.parse(json), json);
	}
});

test("what cannot be seen is written out, and means the same", () => {
	const json = '{"to":"a\u202eb\u200b\u{e0041}\u00ad","é":"日本 \u{1f600}"}';
	assert.equal(seen(json), '{"to":"a\\u202eb\\u200b\\udb40\\udc41\\u00ad","é":"日本 \u{1f600}"}');
	assert.deepEqual(JSON.parse(seen(json)), JSON.parse(json));
	assert.equal(seen("a\n\tb"), "a\n\tb");
});

test("only an object is one", () => {
	assert.deepEqual(["{}", ' {"a":1}\n'].map(whyNoObject), ["", ""]);
	for (const text of ["", "[]", "null", '"{}"', "1", "{", "{a:1}", "{} {}"]) {
		assert.notEqual(whyNoObject(text), "", text);
	}
});

test("an object's members are told apart, each as it was written", () => {
	assert.deepEqual(members('{ "a" : 1.10, "b,": {"c": [1, "}"]}, "a": "x: y", "": [] }'), [["a", "1.10"], ["b,", '{"c":[1,"}"]}'], ["a", '"x: y"'], ["", "[]"]]);
	assert.deepEqual(["{}", "[]", "{", "null", ""].map(members), [[], undefined, undefined, undefined, undefined]);
});
