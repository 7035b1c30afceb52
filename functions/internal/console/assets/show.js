// show.js says what each event adds to the turn that it belongs to. It only appends:
// what stands there is changed by the turn's own parts alone.

import { button, h, icon } from "./dom.js";
import { bytes, clock, count, instant } from "./format.js";
import { brief, size, valueView } from "./values.js";

/** By an event's type: what it adds to its turn. An unknown one adds nothing. */
export const show = {
	"operation.accepted"(turn, event) {
		const { prompt, preview } = event.data;
		turn.body.before(h("div", { class: "prompt" }, preview && h("pre", { class: "text", text: `${preview}…` }), valueView(prompt, turn.app.blob)));
	},
	"operation.resumed"(turn, event) {
		const { reason, generation } = event.data;
		const words = reason === "takeover" ? "Its driver was gone: another one took over" : `Goes on in a new execution, its ${generation}.`;
		turn.marker("takeover", event.seq, `${words} · ${reason} · seq ${count(event.seq)} · ${clock(instant(event.at))}`);
	},
	"operation.completed"(turn, event) {
		turn.hush();
		const { output, stop } = event.data;
		if (!turn.answered) {
			turn.body.append(answer(output, turn.app.blob));
		}
		stop && turn.line(undefined, "note", `${stops[stop] ?? "The model stopped before it was done"} · ${stop}`);
	},
	"operation.failed"(turn, event) {
		turn.hush();
		const { code, message } = event.data.error;
		turn.body.append(problem("This operation failed", { code, message: message === turn.said ? "" : message }));
	},
	"operation.cancel_requested"(turn, event) {
		turn.line(turn.newest, "halt", `Cancel was asked for · seq ${count(event.seq)} · ${clock(instant(event.at))}`, "aside");
	},
	"operation.cancelled"(turn) {
		turn.hush();
		const { agent, round, startedAt } = turn.operation;
		const when = startedAt || round ? "" : agent ? " before it ran" : " before it was submitted";
		turn.line(undefined, "halt", `This operation was cancelled${when}.`, "ended");
	},
	"operation.warned"(turn, event) {
		const { code, message } = event.data;
		turn.line(event.round, "note", `The model is told: ${message} · ${code}`);
	},
	"message.steered"(turn, event) {
		turn.unread++;
		turn.place(turn.newest).append(h("div", { class: "prompt steered" }, h("h4", { text: "Said while it ran" }), valueView(event.data.text, turn.app.blob)));
	},
	"tool.unknown"(turn, event) {
		ofCall(turn, event);
		turn.line(event.round, "unknown", `Whether ${turn.named(event)}, took effect is not known: it is not run again by itself.`);
	},
	"approval.requested"(turn, event) {
		ofCall(turn, event);
		turn.line(event.round, "pause", `Waits for a person, about ${turn.named(event)} · ${event.data.reason}`);
	},
	"approval.resolved"(turn, event) {
		const { decision, output } = event.data;
		ofCall(turn, event);
		turn.line(event.round, "check", `A person said of ${turn.named(event)}: ${decision.replaceAll("_", " ")}${output === undefined ? "" : `, with the result ${brief(output, 120)}`}`, "aside");
	},
	"model.started"(turn, event) {
		turn.hush();
		if (event.round > turn.newest) {
			Object.assign(turn, { newest: event.round, unread: 0 }); // the model reads them now
		}
		turn.roundHead(event.round);
	},
	"model.completed"(turn, event) {
		const { items } = event.data;
		// What was said meanwhile makes another round: this is not the last word.
		turn.answered = turn.unread === 0 && !items.some((item) => item.call);
		const stood = turn.hush();
		for (const item of items) {
			turn.round(event.round).section.append(...part(turn, event, item, stood));
		}
		turn.roundHead(event.round);
	},
	"model.failed"(turn, event) {
		const { attempt, error, retryAt, partial } = event.data;
		const stood = turn.hush();
		partial !== undefined && turn.round(event.round).section.append(broken(partial, turn.app.blob, stood));
		if (error.code === "cancelled") {
			turn.line(event.round, "halt", `Attempt ${attempt} was given up: ${error.message}`, "aside");
			return turn.roundHead(event.round);
		}
		turn.said = error.message;
		const next = retryAt ? ` The next attempt begins at ${clock(instant(retryAt))}.` : "";
		turn.round(event.round).section.append(problem(`Attempt ${attempt} failed`, error, next));
		turn.roundHead(event.round);
	},
	"tool.started": ofCall,
	"tool.completed": ofCall,
	"tool.failed": ofCall,
	"workspace.written": ofFile,
	"workspace.deleted": ofFile,
};

function ofCall(turn, event) {
	turn.call(event.round, event.data.index).update();
}

function ofFile(turn, event) {
	turn.place(event.round).append(h("p", { class: "aside" }, fileNote(event, turn.app)));
}

// part shows an item of an answer; stood says how its preview did, if it had one: what
// was read goes on being read.
function part(turn, event, item, stood) {
	if (item.call) {
		turn.call(event.round, item.call.index).update();
		return [];
	}
	if (item.kind === "reasoning") {
		return [h("details", { class: "reasoning", open: stood?.thinking }, h("summary", {}, "Reasoning", h("span", { class: "about", text: bytes(size(item.text)) })), valueView(item.text, turn.app.blob))];
	}
	return [turn.answered ? answer(item.text, turn.app.blob, stood) : h("div", { class: "said" }, valueView(item.text, turn.app.blob, false, stood?.height))];
}

const stops = { length: "The answer ends where the model had to stop", refusal: "The model declined" };

const answer = (value, blob, stood) => h("div", { class: "answer" }, h("h4", { text: "Answer" }), valueView(value, blob, false, stood?.height));

// broken is what an answer had said when it ended before its end.
const broken = (value, blob, stood) => h("div", { class: "said broken" }, h("h4", { text: "Broken off" }), valueView(value, blob, false, stood?.height));

const problem = (what, error, then = "") => h("div", { class: "problem" }, icon("cross"), h("p", {}, h("strong", { text: `${what}: ${error.code}. ` }), `${error.message}${then && `. ${then}`}`));

/** What an event did to a file, with a way to it. */
export function fileNote(event, app) {
	const { path, bytes: length } = event.data;
	if (event.type === "workspace.deleted") {
		return [icon("file"), `deleted ${path}`];
	}
	return [icon("file"), "wrote ", button(path, () => app.openFile(path), { class: "link" }), `, ${bytes(length)}`];
}
