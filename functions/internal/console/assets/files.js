// files.js shows the session's workspace: the tree as the API lists it, kept up to
// date by the events that follow, and one file beside it.

import { add, button, h, icon, replace, the, write } from "./dom.js";
import { bytes, count, many } from "./format.js";
import { Preview } from "./preview.js";
import { roving } from "./roving.js";
import { lines } from "./tree.js";

const PAGE = 1000;
const SHOWN = 2000; // lines of the tree that are on the page
const REDRAW = 250; // ms between two drawings, at least

export class Files {
	constructor(windlass) {
		this.windlass = windlass;
		this.tree = h("ul", { class: "tree", role: "tree", "aria-label": "Files", on: { keydown: (event) => this.key(event) } });
		this.note = h("p", { class: "about" });
		this.more = button("Show more", () => this.read(this.next), { class: "small", hidden: true });
		this.preview = new Preview(windlass);
		const again = button("", () => this.again(), { class: "quiet square small", "aria-label": "Read the files again" });
		again.append(icon("again"));
		the("panel-files").append(h("header", { class: "bar" }, this.note, h("span", { class: "space" }), again), h("div", { class: "tree-scroll" }, this.tree, this.more), this.preview.element);
		this.settle = roving(this.tree, ".tree-line");
		this.reset("");
	}

	reset(session) {
		this.session = session;
		this.files = new Map();
		this.later = [];
		this.folded = new Set();
		this.next = "";
		this.ready = false;
		this.chosen = "";
		this.preview.close();
		this.draw();
	}

	again() {
		const session = this.session;
		this.reset(session);
		session && this.read("");
	}

	/** Reads a page of names. Events that come meanwhile are applied after it. */
	async read(cursor) {
		const session = this.session;
		try {
			const page = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(session)}/files?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			if (session === this.session) {
				this.take(page);
			}
		} catch (error) {
			if (session === this.session) {
				this.failure = error.status === 404 ? "" : `The files could not be read: ${error.message}`;
				this.draw();
			}
		}
	}

	take(page) {
		for (const file of page.files) {
			this.files.set(file.path, file);
		}
		this.next = page.nextCursor ?? "";
		this.ready = true;
		this.failure = "";
		const later = this.later.filter((event) => event.seq > page.asOfSeq);
		this.later = [];
		this.apply(later);
		this.draw();
	}

	/** Takes the next events; those of files change the tree. */
	apply(events) {
		const mine = events.filter((event) => event.type.startsWith("workspace."));
		if (mine.length === 0) {
			return;
		}
		if (!this.ready) {
			this.later.push(...mine);
			return;
		}
		for (const { type, data } of mine) {
			type === "workspace.deleted" ? this.files.delete(data.path) : this.files.set(data.path, { path: data.path, bytes: data.bytes, sha256: data.sha256, contentType: data.contentType });
		}
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.draw();
		}, REDRAW);
		const open = this.chosen && this.files.get(this.chosen);
		open ? this.preview.changed(open) : this.chosen && this.preview.close();
	}

	/** Shows a file; its place in the tree opens with it. */
	open(path) {
		this.chosen = path;
		for (const folder of [...this.folded]) {
			path.startsWith(`${folder}/`) && this.folded.delete(folder);
		}
		this.draw();
		const file = this.files.get(path);
		file ? this.preview.open(this.session, file) : write(this.note, `${path} is not there any more`);
	}

	draw() {
		const all = lines(this.files.values(), this.folded);
		const focused = document.activeElement?.closest(".tree-line")?.dataset.path;
		replace(this.tree, all.slice(0, SHOWN).map((node) => this.line(node)));
		if (focused) {
			this.tree.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
		}
		this.settle();
		const total = [...this.files.values()].reduce((sum, file) => sum + file.bytes, 0);
		const rest = this.next || all.length > SHOWN ? ", and more" : "";
		write(this.note, this.failure || (this.files.size ? `${many(this.files.size, "file")}, ${bytes(total)}${rest}` : "No files yet. What a turn writes stands here at once."));
		this.more.hidden = !this.next;
		write(this.more, `Show more than ${count(this.files.size)}`);
	}

	line(node) {
		const open = !this.folded.has(node.path);
		const act = () => (node.folder ? this.fold(node.path) : this.open(node.path));
		const item = h("li", {
			class: "tree-line", role: "treeitem", tabindex: "-1", "data-path": node.path, "data-level": Math.min(node.level, 9), "aria-level": node.level,
			"aria-expanded": node.folder && String(open), "aria-selected": String(node.path === this.chosen), on: { click: act },
		});
		return add(item, icon(node.folder ? "folder" : "file"), h("span", { class: "name clip", text: node.name }), h("span", { class: "about", text: node.folder ? (open ? "" : count(node.count)) : bytes(node.file.bytes) }));
	}

	fold(path) {
		this.folded.delete(path) || this.folded.add(path);
		this.draw();
	}

	key(event) {
		const item = event.target.closest(".tree-line");
		const expanded = item?.getAttribute("aria-expanded");
		const turn = (event.key === "ArrowRight" && expanded === "false") || (event.key === "ArrowLeft" && expanded === "true");
		if (turn || ((event.key === "Enter" || event.key === " ") && item)) {
			event.preventDefault();
			event.stopImmediatePropagation();
			item.click();
		}
	}
}

