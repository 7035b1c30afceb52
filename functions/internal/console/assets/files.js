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

/**
 * What rows and events say of a session's files, without a page. Rows are as of a seq,
 * and may come after events that are newer: of each path, the newest word stays.
 */
export class Listing {
	/** @param {Map<string, {seq: number, file: any}>} events the last of each path; no file if it was deleted */
	constructor(events = new Map()) {
		this.events = events;
		this.files = new Map();
		this.seqs = new Map();
		this.ready = false;
	}

	/** Takes rows. Events that came before the first ones are taken after them. */
	take({ files, asOfSeq }) {
		this.ready = true;
		for (const file of files) {
			this.put(file.path, asOfSeq, file);
		}
		for (const [path, { seq, file }] of this.events) {
			seq > asOfSeq && this.put(path, seq, file);
		}
	}

	/** Takes the next event of a file, and says whether it is news. */
	apply({ seq, type, data: { path, bytes, sha256, contentType } }) {
		const file = type === "workspace.deleted" ? undefined : { path, bytes, sha256, contentType };
		this.events.set(path, { seq, file });
		return this.ready && this.put(path, seq, file);
	}

	put(path, seq, file) {
		const news = seq >= (this.seqs.get(path) ?? 0);
		if (news) {
			this.seqs.set(path, seq);
			file ? this.files.set(path, file) : this.files.delete(path);
		}
		return news;
	}

	/** The same before any row was read. */
	again() {
		return new Listing(this.events);
	}
}

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
		this.reads = 0;
		this.reset("");
	}

	reset(session, listing = new Listing()) {
		this.session = session;
		this.listing = listing;
		this.reads++; // what is under way is of no use any more
		this.folded = new Set();
		this.next = "";
		this.failure = "";
		this.chosen = "";
		this.preview.close();
		this.draw();
	}

	again() {
		this.reset(this.session, this.listing.again());
		this.session && this.read("");
	}

	/** Reads a page of names. The answer to an earlier read is dropped: it may come later. */
	async read(cursor) {
		const read = ++this.reads;
		try {
			const page = await this.windlass.request("GET", `/v1/sessions/${encodeURIComponent(this.session)}/files?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			if (read === this.reads) {
				this.take(page);
			}
		} catch (error) {
			if (read === this.reads) {
				this.failure = error.status === 404 ? "" : `The files could not be read: ${error.message}`;
				this.draw();
			}
		}
	}

	take(page) {
		this.listing.take(page);
		this.next = page.nextCursor ?? "";
		this.failure = "";
		this.draw();
	}

	/** Takes the next events. Those that are news change the tree; what changes nothing must not, under somebody's pointer. */
	apply(events) {
		const news = events.filter((event) => event.type.startsWith("workspace.") && this.listing.apply(event));
		if (news.length === 0) {
			return;
		}
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.draw();
		}, REDRAW);
		const open = this.chosen && this.listing.files.get(this.chosen);
		open ? this.preview.changed(open) : this.chosen && this.preview.close();
	}

	/** Shows a file; its place in the tree opens with it. */
	open(path) {
		this.chosen = path;
		for (const folder of [...this.folded]) {
			path.startsWith(`${folder}/`) && this.folded.delete(folder);
		}
		this.draw();
		const file = this.listing.files.get(path);
		file ? this.preview.open(this.session, file) : write(this.note, `${path} is not there any more`);
	}

	draw() {
		const { files } = this.listing;
		const all = lines(files.values(), this.folded);
		const focused = document.activeElement?.closest(".tree-line")?.dataset.path;
		replace(this.tree, all.slice(0, SHOWN).map((node) => this.line(node)));
		if (focused) {
			this.tree.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
		}
		this.settle();
		const total = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
		const rest = this.next || all.length > SHOWN ? ", and more" : "";
		write(this.note, this.failure || (files.size ? `${many(files.size, "file")}, ${bytes(total)}${rest}` : "No files yet. What a turn writes stands here at once."));
		this.more.hidden = !this.next;
		write(this.more, `Show more than ${count(files.size)}`);
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

