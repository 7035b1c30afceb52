// jsontext.js works on JSON as the text that it is: no number is rounded, no member
// lost. It is pure.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;
// Characters that are not seen, or turn around what stands behind them.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** JSON with a member a line. */
export function indent(json) {
	const tokens = json.match(TOKENS) ?? [];
	let level = 0;
	const line = () => `\n${"  ".repeat(level)}`;
	return tokens.map((token, i) => {
		switch (token) {
			case "{":
			case "[":
				return closes(tokens[i + 1]) ? token : ((level += 1), token + line());
			case "}":
			case "]":
				return opens(tokens[i - 1]) ? token : ((level -= 1), line() + token);
			case ",":
				return token + line();
			case ":":
				return ": ";
		}
		return token;
	}).join("");
}

const opens = (token) => token === "{" || token === "[";
const closes = (token) => token === "}" || token === "]";

/**
 * The members of an object, in their order: each name, and its value as JSON.
 * @returns {[string, string][] | undefined} nothing for what is no JSON object
 */
export function members(json) {
	if (whyNoObject(json)) {
		return undefined;
	}
	const all = [];
	let level = 0;
	let at = [];
	for (const token of [...json.match(TOKENS).slice(1, -1), ","]) {
		level += Number(opens(token)) - Number(closes(token));
		if (level === 0 && token === ",") {
			at.length && all.push([JSON.parse(at[0]), at.slice(2).join("")]);
			at = [];
		} else {
			at.push(token);
		}
	}
	return all;
}

/** The same with what cannot be seen written as escapes: in JSON's strings they mean the same. */
export function seen(text) {
	return text.replace(UNSEEN, (c) => c.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""));
}

/** Whether a text is the JSON of a list. */
export function isList(text) {
	try {
		return Array.isArray(JSON.parse(text));
	} catch {
		return false;
	}
}

/** Why a text is not the JSON of an object; empty if it is. */
export function whyNoObject(text) {
	try {
		const value = JSON.parse(text);
		return value !== null && typeof value === "object" && !Array.isArray(value) ? "" : "it is not an object: begin with { and end with }";
	} catch (error) {
		return error.message;
	}
}
