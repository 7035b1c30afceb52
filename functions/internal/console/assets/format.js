// format.js writes numbers and times for people.

const grouped = new Intl.NumberFormat("en-US");
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** 1234 as "1,234". */
export const count = (n) => grouped.format(n);

/** "1 call", "2 calls". */
export const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

/** A size in bytes. */
export function bytes(n) {
	for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
		if (n >= size) {
			const v = n / size;
			return `${v.toFixed(v < 10 ? 1 : 0)} ${unit}`;
		}
	}
	return `${n} B`;
}

/** A duration in milliseconds. */
export function duration(ms) {
	if (ms < 0) {
		return "0 ms";
	}
	if (ms < 100) {
		return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
	}
	if (ms < 1000) {
		return `${Math.round(ms)} ms`;
	}
	if (ms < 60_000) {
		return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
	}
	return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** The log's time as milliseconds since 1970, with its microseconds as a fraction. */
export function instant(text) {
	const [whole, fraction = "Z"] = text.split(".");
	return Date.parse(`${whole.replace("Z", "")}Z`) + Number(`0.${fraction.slice(0, -1) || 0}`) * 1000;
}

/** The time of day, to the millisecond. */
export function clock(ms) {
	const d = new Date(ms);
	return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}.${pad(d.getMilliseconds(), 3)}`;
}

/** The time of day, with the day if it is not today. */
export function when(ms) {
	const d = new Date(ms);
	const time = `${pad(d.getHours())}:${pad(d.getMinutes())}`;
	return d.toDateString() === new Date().toDateString() ? time : `${day.format(d)} ${time}`;
}

const pad = (n, width = 2) => String(n).padStart(width, "0");

// What turns the direction of a text around: it may make a name read as another one.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text's beginning, on one line and in one direction. */
export function line(text, most) {
	const flat = text.slice(0, most * 2).replace(/\s+/g, " ").trim().replace(TURNS, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
	return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
}

/** A large number, shortly: 25,120 as "25.1k". */
export const short = (n) => (n < 1000 ? String(n) : n < 1_000_000 ? `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k` : `${(n / 1_000_000).toFixed(1)}M`);

/** Words side by side; a line breaks between them only. */
export const parts = (...words) => words.filter(Boolean).map((word) => String(word).replaceAll(" ", "\u00a0")).join("\u00a0· ");

/** What a turn has used, in words. */
export function usage(u) {
	return `${count(u.inputTokens)} tokens in, ${count(u.outputTokens)} out`;
}
