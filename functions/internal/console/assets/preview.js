// preview.js shows one file: a text's beginning as text, a picture as a picture,
// and of anything else its size. Whatever it is, it can be saved.

import { add, button, h, replace, write } from "./dom.js";
import { bytes } from "./format.js";
import { beginning } from "./values.js";

const TEXT = 64 * 1024; // bytes of a text that are shown
const PICTURE = 8 * 1024 * 1024; // bytes up to which a picture is shown
/** The types that are shown as pictures. */
export const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];

export class Preview {
	constructor(windlass) {
		this.windlass = windlass;
		this.name = h("h3", { class: "name clip mono" });
		this.about = h("p", { class: "about" });
		this.save = button("Download", () => this.download(), { class: "small" });
		this.body = h("div", { class: "preview-body", tabindex: "0", role: "region", "aria-label": "The file’s content" });
		const shut = button("Close", () => this.close(), { class: "quiet small" });
		this.element = h("section", { class: "preview", hidden: true, "aria-label": "Preview" }, h("div", { class: "bar" }, this.name, this.about, h("span", { class: "space" }), this.save, shut), this.body);
	}

	/** Shows a file. */
	open(session, file) {
		Object.assign(this, { session, file });
		this.element.hidden = false;
		this.show();
	}

	/** Shows the file anew if it is another one by now. */
	changed(file) {
		if (this.file && file.sha256 !== this.file.sha256 && !this.element.hidden) {
			this.file = file;
			clearTimeout(this.due);
			this.due = setTimeout(() => this.show(), 300);
		}
	}

	close() {
		this.element.hidden = true;
		this.file = undefined;
		this.release();
		replace(this.body);
	}

	path() {
		return `/v1/sessions/${encodeURIComponent(this.session)}/files${this.file.path.split("/").map(encodeURIComponent).join("/")}`;
	}

	async show() {
		const { file } = this;
		if (!file) {
			return;
		}
		const kind = file.contentType.split(";")[0].trim().toLowerCase();
		write(this.name, file.path);
		write(this.about, `${bytes(file.bytes)} · ${kind}`);
		try {
			const content = await this.content(file, kind);
			if (this.file === file) {
				this.release();
				this.address = content.address;
				replace(this.body, content.nodes);
			} else if (content.address) {
				URL.revokeObjectURL(content.address);
			}
		} catch (error) {
			this.file === file && replace(this.body, h("p", { class: "error pad", text: `It could not be read: ${error.message}` }));
		}
	}

	async content(file, kind) {
		if (pictures.includes(kind)) {
			return file.bytes > PICTURE ? said(`A picture of ${bytes(file.bytes)} is too large to show here.`) : this.picture(file, kind);
		}
		if (file.bytes === 0) {
			return said("It is empty.");
		}
		const response = await this.windlass.request("GET", this.path(), { raw: true });
		const part = await beginning(response, TEXT);
		const text = decode(part, part.length < file.bytes);
		if (text === undefined) {
			return said("Its bytes are not text. Download it to look at it.");
		}
		return { nodes: [h("pre", { class: "text", text }), part.length < file.bytes && h("p", { class: "note pad", text: `the first ${bytes(part.length)} of ${bytes(file.bytes)}` })].filter(Boolean) };
	}

	// A picture comes as a blob: an SVG in an img element runs nothing and loads nothing.
	async picture(file, kind) {
		const response = await this.windlass.request("GET", this.path(), { raw: true });
		const address = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: kind }));
		return { address, nodes: [h("div", { class: "picture" }, h("img", { src: address, alt: `The picture ${file.path}` }))] };
	}

	release() {
		this.address && URL.revokeObjectURL(this.address);
		this.address = undefined;
	}

	async download() {
		const { file } = this;
		this.save.disabled = true;
		try {
			const response = await this.windlass.request("GET", this.path(), { raw: true });
			saveAs(await response.blob(), file.path.split("/").at(-1));
		} catch (error) {
			add(this.body, h("p", { class: "error pad", text: `It could not be downloaded: ${error.message}` }));
		} finally {
			this.save.disabled = false;
		}
	}
}

/** Saves a content as a file, whatever it is: nothing opens it here. */
export function saveAs(content, name) {
	const address = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
	h("a", { href: address, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

const said = (text) => ({ nodes: [h("p", { class: "note pad", text })] });

// decode gives nothing for bytes that are not UTF-8; a cut at the end may be in
// the middle of a character.
function decode(part, cut) {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(part, { stream: cut });
	} catch {
		return undefined;
	}
}
