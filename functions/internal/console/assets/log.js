// log.js lists the raw events, one a line. Only the lines in the window are on the
// page, so that twenty thousand cost what thirty do.

import { arrange, eachFrame, h, replace, set, the, write } from "./dom.js";
import { HELD } from "./feed.js";
import { count } from "./format.js";
import { logLine, placed } from "./logline.js";

const SPARE = HELD / 10; // events over the limit before the oldest go, so that they go rarely

export class Log {
	/** @param {{visible: () => boolean}} app */
	constructor(app) {
		this.app = app;
		this.row = 24;
		this.drawn = new Map(); // the lines on the page, by their records
		this.drawSoon = eachFrame(() => this.draw());
		this.build();
		this.reset();
	}

	build() {
		this.text = h("input", { type: "search", placeholder: "Find in events", "aria-label": "Find in events", spellcheck: "false", on: { input: () => this.search() } });
		this.type = h("select", { "aria-label": "Type", on: { change: () => this.search() } });
		this.operation = h("select", { "aria-label": "Operation", on: { change: () => this.search() } });
		this.note = h("p", { class: "about" });
		this.space = h("div", { class: "log-space" });
		this.lines = h("div", { class: "log-lines" });
		this.list = h("div", {
			class: "log-list", tabindex: "0", role: "listbox", "aria-label": "Events",
			on: { scroll: () => this.scrolled(), keydown: (event) => this.key(event), click: (event) => this.click(event) },
		}, this.space, this.lines);
		this.detail = h("div", { class: "log-detail", hidden: true });
		the("panel-log").append(h("header", { class: "bar filters" }, this.text, this.type, this.operation, this.note), this.list, this.detail);
		new ResizeObserver(() => this.resized()).observe(this.list);
	}

	// resized reads a line's height from the style: a finger needs more than a mouse.
	resized() {
		this.row = Number.parseInt(getComputedStyle(this.list).getPropertyValue("--log-row"), 10) || 24;
		this.drawSoon();
	}

	reset(after = 0) {
		this.after = after;
		this.records = [];
		this.matches = [];
		this.known = { types: new Set(), operations: new Set() };
		this.stuck = true;
		replace(this.type, h("option", { value: "", text: "all types" }));
		replace(this.operation, h("option", { value: "", text: "all operations" }));
		this.text.value = "";
		this.choose(undefined);
		this.drawSoon();
	}

	/** Takes the next events. */
	apply(events) {
		for (const event of events) {
			const record = { event, text: undefined };
			this.records.push(record);
			this.fits(record) && this.matches.push(record);
			this.offer("types", this.type, event.type);
			event.operationId && this.offer("operations", this.operation, event.operationId);
		}
		if (this.records.length > HELD + SPARE) {
			this.records = this.records.slice(-HELD);
			const first = this.records[0].event.seq;
			this.after = first - 1;
			this.matches = this.matches.filter((r) => r.event.seq >= first);
		}
		this.drawSoon();
	}

	offer(kind, select, value) {
		if (!this.known[kind].has(value) && this.known[kind].size < 500) {
			this.known[kind].add(value);
			select.append(h("option", { value, text: value }));
		}
	}

	fits(record) {
		const { event } = record;
		const wanted = this.text.value.trim().toLowerCase();
		if ((this.type.value && event.type !== this.type.value) || (this.operation.value && event.operationId !== this.operation.value)) {
			return false;
		}
		return wanted === "" || (record.text ??= JSON.stringify(event).toLowerCase()).includes(wanted);
	}

	search() {
		clearTimeout(this.due);
		this.due = setTimeout(() => {
			this.matches = this.records.filter((r) => this.fits(r));
			this.stuck = true;
			this.draw();
		}, 120);
	}

	scrolled() {
		const { scrollTop, scrollHeight, clientHeight } = this.list;
		this.stuck = scrollHeight - scrollTop - clientHeight < this.row;
		this.drawSoon();
	}

	draw() {
		if (!this.app.visible()) {
			return;
		}
		const { matches, list, row } = this;
		this.space.style.height = `${matches.length * row}px`;
		if (this.stuck && !this.chosen) {
			list.scrollTop = list.scrollHeight;
		}
		const first = Math.max(0, Math.floor(list.scrollTop / row) - 8);
		const some = matches.slice(first, first + Math.ceil(list.clientHeight / row) + 16);
		this.lines.style.transform = `translateY(${first * row}px)`;
		this.drawn = new Map(some.map((record) => [record, this.drawn.get(record) ?? logLine(record.event)]));
		arrange(this.lines, [...this.drawn.values()]);
		some.forEach((record, i) => placed(this.drawn.get(record), { at: first + i, of: matches.length, chosen: record === this.chosen }));
		set(list, "aria-activedescendant", this.chosen ? `event-${this.chosen.event.seq}` : null);
		const earlier = this.after > 0 ? `; the ${count(this.after)} before them are not loaded` : "";
		write(this.note, matches.length === this.records.length ? `${count(matches.length)} events${earlier}` : `${count(matches.length)} of ${count(this.records.length)} events${earlier}`);
	}

	click(event) {
		const seq = Number(event.target.closest(".log-line")?.dataset.seq);
		const record = this.matches.find((r) => r.event.seq === seq);
		record && this.choose(record === this.chosen ? undefined : record);
	}

	key(event) {
		const at = this.matches.indexOf(this.chosen);
		const page = Math.max(1, Math.floor(this.list.clientHeight / this.row) - 1);
		const last = this.matches.length - 1;
		const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: last }[event.key];
		if (event.key === "Escape" && this.chosen) {
			event.stopPropagation();
			this.choose(undefined);
		} else if (to !== undefined && last >= 0) {
			event.preventDefault();
			this.choose(this.matches[Math.min(last, Math.max(0, to))]);
		}
	}

	reveal() {
		const top = this.matches.indexOf(this.chosen) * this.row;
		const { scrollTop, clientHeight } = this.list;
		if (top < scrollTop) {
			this.list.scrollTop = top;
		} else if (top + this.row > scrollTop + clientHeight) {
			this.list.scrollTop = top + this.row - clientHeight;
		}
	}

	// choose shows an event whole, below the list: lines of one height are what
	// makes the list quick.
	choose(record) {
		this.chosen = record;
		this.detail.hidden = !record;
		if (record) {
			const text = JSON.stringify(record.event, null, 2);
			const close = h("button", { class: "quiet small", type: "button", text: "Close", on: { click: () => this.choose(undefined) } });
			const copy = h("button", { class: "quiet small", type: "button", text: "Copy", on: { click: () => navigator.clipboard?.writeText(text).then(() => write(copy, "Copied"), () => write(copy, "Not allowed")) } });
			replace(this.detail, h("div", { class: "bar" }, h("h3", { class: "mono", text: `seq ${record.event.seq} · ${record.event.type}` }), h("span", { class: "space" }), copy, close), h("pre", { class: "text", tabindex: "0", "aria-label": "The event as JSON", text }));
			this.reveal(); // what shows it takes room from the list
		}
		this.draw();
	}
}
