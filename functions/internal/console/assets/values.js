// values.js shows the log's values: texts, bytes that are not text, and references
// to what stands apart, which is loaded when somebody asks for it.

import { add, button, h, replace } from "./dom.js";
import { bytes, line } from "./format.js";
import { indent, isList, members } from "./jsontext.js";

const SHOWN = 4000; // characters of an inline text that are shown at first
const LOADED = 256 * 1024; // bytes of a referenced text that are shown at all

/** A value's size in bytes. */
export function size(value) {
	if (typeof value === "string") {
		return new TextEncoder().encode(value).length;
	}
	return value?.ref ? value.ref.bytes : Math.floor(((value?.base64?.length ?? 0) * 3) / 4);
}

/** A value on one line. */
export function brief(value, most) {
	if (typeof value === "string") {
		return line(value, most);
	}
	return value === undefined ? "" : `${bytes(size(value))}${value.ref ? ` of ${value.ref.type.split(";")[0]}` : ""}`;
}

/**
 * Shows a value.
 * @param {any} value
 * @param {(sha256: string) => Promise<Response>} blob fetches what stands apart
 * @param {boolean} [pretty] show JSON objects by their fields
 * @param {number} [stood] the height in pixels at which it was on the page before: then it is shown whole, at once
 */
export function valueView(value, blob, pretty = false, stood = 0) {
	if (typeof value === "string") {
		return (pretty && fields(value)) || (stood ? h("pre", { class: "text", text: value }) : clipped(value));
	}
	if (value?.ref) {
		return reference(value.ref, blob, stood);
	}
	return h("p", { class: "note", text: `${bytes(size(value))} that are not text` });
}

// fields shows an object's members line by line, with the texts among them as
// texts: escaped line breaks are what makes JSON hard to read.
function fields(text) {
	const entries = members(text);
	if (!entries) {
		return isList(text) ? clipped(indent(text)) : undefined; // the model may write anything
	}
	if (entries.length === 0) {
		return h("p", { class: "note", text: "no fields" });
	}
	const field = ([name, value]) => [
		h("dt", { text: name }),
		h("dd", {}, clipped(value.startsWith('"') ? JSON.parse(value) : indent(value))),
	];
	return h("dl", { class: "fields" }, entries.slice(0, 50).flatMap(field), entries.length > 50 && h("dt", { text: `and ${entries.length - 50} more` }));
}

// clipped shows a text's beginning; the rest costs layout only when it is wanted.
function clipped(text) {
	if (text.length <= SHOWN) {
		return h("pre", { class: "text", text });
	}
	const shown = h("pre", { class: "text", text: text.slice(0, SHOWN) });
	const more = button(`Show all ${bytes(size(text))}`, () => {
		shown.textContent = text;
		more.remove();
	}, { class: "small" });
	return h("div", {}, shown, more);
}

function reference(ref, blob, stood) {
	const box = h("div", { class: "reference" });
	const load = async () => {
		open.disabled = true;
		open.textContent = "Loading…";
		try {
			replace(box, await loaded(ref, await blob(ref.sha256), stood ? "text" : "text tall"));
		} catch (error) {
			open.disabled = false;
			open.textContent = "Try again";
			add(box, h("p", { class: "error", text: error.message }));
		}
		box.style.minHeight = "";
	};
	const open = button(`Load ${bytes(ref.bytes)}`, load, { class: "small" });
	add(box, h("span", { class: "note", text: `${ref.type.split(";")[0] || "a value"}, kept beside the log` }), open);
	if (stood) {
		box.style.minHeight = `${stood}px`; // until it is there nothing else moves
		load();
	}
	return box;
}

async function loaded(ref, response, look) {
	const part = await beginning(response, LOADED);
	const text = h("pre", { class: look, tabindex: "0", text: new TextDecoder().decode(part) });
	return part.length < ref.bytes ? [text, h("p", { class: "note", text: `the first ${bytes(part.length)} of ${bytes(ref.bytes)}` })] : text;
}

/** The bytes of a value, at most this many of them. */
export async function contentOf(value, blob, most = Infinity) {
	if (value?.ref) {
		return beginning(await blob(value.ref.sha256), Math.min(value.ref.bytes, most));
	}
	const all = typeof value === "string" ? new TextEncoder().encode(value) : Uint8Array.from(atob(value?.base64 ?? ""), (c) => c.charCodeAt(0));
	return all.subarray(0, most);
}

/** Reads at most this many bytes of an answer, and lets go of the rest. */
export async function beginning(response, most) {
	const reader = response.body.getReader();
	const parts = [];
	let length = 0;
	while (length < most) {
		const { done, value } = await reader.read();
		if (done) {
			break;
		}
		parts.push(value);
		length += value.length;
	}
	reader.cancel().catch(() => {}); // nobody waits for it
	const all = new Uint8Array(await new Blob(parts).arrayBuffer());
	return all.subarray(0, most);
}
