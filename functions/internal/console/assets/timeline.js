// timeline.js draws one operation's bars. Only the rows in the window are drawn;
// their elements are kept by their bars' keys, and a redraw moves what has moved.

import { bars, marks, outline, span, summary, ticks } from "./bars.js";
import { eachFrame, h, replace, set, svg, the, write } from "./dom.js";
import { count, duration } from "./format.js";
import { timetable } from "./timetable.js";

const LABEL = 160; // pixels at the left, for names
const TIME = 68; // pixels at the right, for durations
const ROW = 20;
const HEAD = 58;
const REDRAW = 200; // ms between two drawings, at least
const SPARE = 10; // rows that are drawn above and below the window

export class Timeline {
	/** @param {{jump: (operation: string, round: number) => void, visible: () => boolean}} app */
	constructor(app) {
		this.app = app;
		this.rows = new Map();
		this.head = svg("svg", { class: "axis", height: HEAD, "aria-hidden": "true" });
		this.chart = svg("svg", { class: "chart", role: "img" });
		this.rules = svg("g", { class: "rules" });
		this.marks = svg("g", { class: "marks" });
		this.chart.append(this.rules, this.marks);
		this.title = h("p", { class: "about clip" });
		this.table = h("details", { class: "as-table", on: { toggle: () => this.tabulate() } });
		this.note = h("p", { class: "note pad" });
		this.scroll = h("div", { class: "chart-scroll", tabindex: "0", "aria-label": "Timeline of rounds" }, this.head, this.chart, this.note, this.table);
		this.panel = the("panel-timeline");
		this.bar = h("header", { class: "bar" }, this.title, legend());
		this.panel.append(this.bar, this.scroll);
		new ResizeObserver(() => this.draw()).observe(this.scroll);
		this.scroll.addEventListener("scroll", eachFrame(() => this.place && this.operation && this.window()), { passive: true });
		setInterval(() => this.operation && !this.operation.settledAt && this.draw(), 500);
		this.show(undefined);
	}

	/** Shows an operation, or says why there is none. */
	show(operation, why = "") {
		this.why = why || "An operation’s calls stand here on one axis of time.";
		if (this.operation !== operation) {
			this.rows.forEach((row) => row.group.remove());
			this.rows.clear();
			this.scroll.scrollTop = 0;
		}
		this.operation = operation;
		this.draw();
	}

	/** Learns how far the log's clock is ahead of this one's. */
	heard(at) {
		this.ahead = Math.max(this.ahead ?? -Infinity, at - Date.now());
	}

	/** Draws soon. */
	changed() {
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.draw();
		}, REDRAW);
	}

	draw() {
		const { operation } = this;
		this.bar.hidden = this.table.hidden = !operation;
		for (const part of [this.head, this.chart]) {
			part.style.display = operation ? "" : "none";
		}
		if (!operation) {
			write(this.title, "");
			write(this.note, this.why);
			return;
		}
		if (!this.app.visible() || this.scroll.clientWidth === 0) {
			return;
		}
		const now = Date.now() + (this.ahead ?? 0);
		const width = this.scroll.clientWidth;
		const { from, length } = span(operation, now);
		const all = bars(operation);
		const x = (t) => LABEL + ((t - from) / length) * Math.max(60, width - LABEL - TIME);
		this.place = { x, width, now, from, length };
		set(this.chart, "width", width);
		const height = all.bars.length * ROW + (operation.status === "cancelled" ? ROW : 8);
		set(this.chart, "height", height);
		set(this.chart, "aria-label", summary(operation));
		this.all = all.bars;
		this.bar.querySelector(".key-agent").hidden = !this.all.some((bar) => bar.kind === "child"); // rare, and the bar is narrow
		this.window();
		this.axis(height);
		this.markings(height);
		write(this.title, `${operation.id} · ${duration((operation.settledAt ?? Math.max(now, operation.lastAt)) - from)}`);
		write(this.note, all.left ? `${count(all.left)} earlier bars are not drawn; the log has them all.` : "");
		this.table.open && this.tabulate();
		this.table.childElementCount || this.table.append(h("summary", { text: "As a table" }));
	}

	// window draws the rows that are seen, and takes away the others.
	window() {
		const top = this.scroll.scrollTop - HEAD;
		const first = Math.max(0, Math.floor(top / ROW) - SPARE);
		const seen = this.all.slice(first, Math.ceil((top + this.scroll.clientHeight) / ROW) + SPARE);
		const keys = new Set(seen.map((bar) => bar.key));
		for (const [key, row] of this.rows) {
			if (!keys.has(key)) {
				row.group.remove();
				this.rows.delete(key);
			}
		}
		seen.forEach((bar, i) => this.row(bar, first + i));
	}

	row(bar, i) {
		let row = this.rows.get(bar.key);
		if (!row) {
			row = this.newRow(bar);
			this.rows.set(bar.key, row);
		}
		const { x, now, width } = this.place;
		const end = bar.to ?? Math.max(now, bar.from);
		const left = x(bar.from);
		const size = Math.max(2, x(end) - left);
		const time = duration(end - bar.from) + (bar.outcome && !outcomes[bar.outcome] ? ` ${bar.outcome}` : "");
		const text = time.length * 6.4;
		const beside = left + size + 6 + text <= width;
		const right = beside ? left + size + 6 : left - 6 - text > LABEL ? left - 6 : width - 4; // else on the bar
		set(row.group, "transform", `translate(0 ${i * ROW + 4})`);
		set(row.group, "data-outcome", outcomes[bar.outcome] ?? (bar.outcome ? "failed" : null));
		set(row.back, "width", width);
		set(row.rect, "x", left.toFixed(1));
		set(row.rect, "width", size.toFixed(1));
		set(row.time, "x", right);
		set(row.time, "text-anchor", beside ? "start" : "end");
		write(row.time, time);
		write(row.title, `Round ${bar.round}, ${bar.label}: ${time}, ${duration(bar.from - this.place.from)} after it was accepted`);
	}

	newRow(bar) {
		const first = bar.kind === "model" && bar.attempt === 1;
		const row = {
			back: svg("rect", { class: "back", height: ROW, x: 0, y: -2 }),
			rect: svg("rect", { class: `bar-${bar.kind}`, height: ROW - 9, y: 2.5, rx: 2 }),
			time: svg("text", { class: "time", y: 12 }),
			title: svg("title"),
		};
		const clickable = bar.round > 0 && { on: { click: () => this.app.jump(this.operation.id, bar.round) } };
		const name = svg("text", { class: "label", x: 44, y: 12, text: bar.label.length > 16 ? `${bar.label.slice(0, 15)}…` : bar.label });
		row.group = svg("g", { class: `row${bar.round ? " linked" : ""}${bar.round % 2 ? " odd" : ""}`, ...clickable }, row.title, row.back,
			first && svg("text", { class: "round-label", x: 12, y: 12, text: bar.round }), name, row.rect, row.time);
		this.marks.before(row.group);
		return row;
	}

	// axis draws the ticks, and the whole turn once more on two lines: a long one
	// does not fit the window.
	axis(height) {
		const { x, width, length, from, now } = this.place;
		const at = ticks(length, Math.max(2, (width - LABEL - TIME) / 64));
		const lines = at.map((t) => svg("line", { class: "rule", x1: x(from + t), x2: x(from + t), y1: 0, y2: height }));
		replace(this.rules, lines);
		set(this.head, "width", width);
		const lane = (kind, top) => svg("path", { class: `bar-${kind}`, d: outline(this.all.filter((b) => b.kind === kind), x, now, top, 9) });
		replace(this.head,
			at.map((t) => svg("text", { class: "tick", x: x(from + t), y: 15, "text-anchor": t === 0 ? "start" : "middle", text: t === 0 ? "0" : tick(t, length) })),
			svg("text", { class: "label", x: 12, y: 35, text: "model" }), svg("text", { class: "label", x: 12, y: 47, text: "tools" }),
			lane("queue", 27), lane("pause", 27), lane("model", 27), lane("tool", 39), lane("child", 39), this.marked().map((m) => svg("line", { class: m.kind, x1: x(m.at), x2: x(m.at), y1: 22, y2: HEAD })));
	}

	marked() {
		return marks(this.operation).slice(-50);
	}

	markings(height) {
		const { x, width } = this.place;
		replace(this.marks, this.marked().map((m) => {
			const right = x(m.at) > width - 190;
			return [
				svg("line", { class: m.kind, x1: x(m.at), x2: x(m.at), y1: 0, y2: height }),
				svg("text", { class: `${m.kind}-label`, x: x(m.at) + (right ? -5 : 5), y: m.kind === "end" ? height - 5 : 13, "text-anchor": right ? "end" : "start", text: m.round ? `${m.label}, round ${m.round}` : m.label }),
			];
		}));
	}

	// tabulate says the same in words, once somebody opens it.
	tabulate() {
		if (this.table.open && this.operation) {
			replace(this.table, h("summary", { text: "As a table" }), timetable(this.operation));
		}
	}
}

// outcomes that something else says: a lighter bar, the mark at the end.
const outcomes = { running: "running", cancelled: "cancelled" };

const tick = (t, length) => (length < 1000 ? `${+t.toFixed(2)} ms` : `${+(t / 1000).toFixed(2)} s`);

const legend = () => h("ul", { class: "legend", "aria-hidden": "true" }, ["model", "tool", "agent", "waits", "takeover"].map((name) => h("li", { class: `key-${name}`, text: name })));
