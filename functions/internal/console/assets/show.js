// show.js says what each event adds to the turn that it belongs to. It only appends:
// what stands there is changed by the turn's own parts alone.

import { dollars } from "./cost.js";
import { button, h, icon, write } from "./dom.js";
import { fileCard } from "./filecard.js";
import { bytes, clock, count, instant, many, parts, short } from "./format.js";
import { brief, size, valueView } from "./values.js";
import { decided, mended, stopped } from "./words.js";

/** By an event's type: what it adds to its turn. An unknown one adds nothing. */
export const show = {
	"operation.accepted"(turn, event) {
		const { prompt, preview, input = [] } = event.data;
		turn.body.before(h("div", { class: "prompt" }, preview && h("pre", { class: "text", text: `${preview}…` }), valueView(prompt, turn.app.blob), input.map((file) => fileCard(file, turn.app))));
	},
	"operation.resumed"(turn, event) {
		const { reason, generation } = event.data;
		const words = reason === "takeover" ? "Its driver was gone: another one took over" : `Goes on in a new execution, its ${generation}.`;
		turn.marker("takeover", event.seq, `${words} · ${reason} · seq ${count(event.seq)} · ${clock(instant(event.at))}`);
	},
	"operation.completed"(turn, event) {
		turn.hush();
		turn.asked();
		const { output, stop } = event.data;
		if (!turn.answered) {
			turn.body.append(answer(output, turn.app.blob));
		}
		stop && turn.line(undefined, "note", stopped(stop));
	},
	"operation.failed"(turn, event) {
		turn.hush();
		turn.asked();
		const { code, message } = event.data.error;
		turn.body.append(problem("This operation failed", { code, message: message === turn.said ? "" : message }));
	},
	"operation.cancel_requested"(turn, event) {
		turn.asked(); // nobody is waited for any more
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
		turn.ask(event);
	},
	"approval.resolved"(turn, event) {
		const { index, decision, output } = event.data;
		ofCall(turn, event);
		turn.asked(`${event.round}.${index}`);
		const who = decision === "expired" ? "Nobody answered in time about" : "A person said of";
		turn.line(event.round, decisions[decision] ?? "check", `${who} ${turn.named(event)}: ${decided(event.data, brief(output, 120))}`, "aside");
	},
	"model.started"(turn, event) {
		turn.hush();
		if (event.round > turn.newest) {
			Object.assign(turn, { newest: event.round, unread: 0 }); // the model reads them now
		}
		turn.next && write(turn.next, `Next, ${event.data.model} is asked.`);
		turn.next = undefined;
		turn.roundHead(event.round);
	},
	"model.completed"(turn, event) {
		const { items, stop } = event.data;
		// What was said meanwhile makes another round: this is not the last word.
		turn.answered = turn.unread === 0 && stop !== "pause" && !items.some((item) => item.call);
		const stood = turn.hush();
		for (const item of items) {
			turn.round(event.round).section.append(...part(turn, event, item, stood));
		}
		turn.roundHead(event.round);
	},
	"model.failed"(turn, event) {
		const { attempt, error, retryAt, partial, fallback } = event.data;
		const stood = turn.hush();
		partial !== undefined && turn.round(event.round).section.append(broken(partial, turn.app.blob, stood));
		if (error.code === "cancelled") {
			turn.line(event.round, "halt", `Attempt ${attempt} was given up: ${error.message}`, "aside");
			return turn.roundHead(event.round);
		}
		turn.said = error.message;
		const next = retryAt ? ` The next attempt begins at ${clock(instant(retryAt))}.` : "";
		const summary = turn.operation.rounds.get(event.round).attempts.find((a) => a.n === attempt)?.purpose === "compact";
		turn.round(event.round).section.append(problem(summary ? `Attempt ${attempt}, of a summary, failed` : `Attempt ${attempt} failed`, error, next));
		turn.next = fallback ? turn.line(event.round, "down", "Next, the agent’s next model is asked.", "aside") : undefined;
		turn.roundHead(event.round);
	},
	"transcript.compacted"(turn, event) {
		const { items, summary, tokensBefore, tokensAfter, model, usage, costUsd } = event.data;
		const cost = usage && (usage.inputTokens || usage.outputTokens) ? dollars(costUsd) : "";
		turn.round(event.round).section.append(h("details", { class: "reasoning" },
			h("summary", {}, `Summarised ${many(items, "item")}, ${short(tokensBefore)} → ${short(tokensAfter)} tokens`, h("span", { class: "about", text: parts(model, cost) })), valueView(summary, turn.app.blob)));
		turn.roundHead(event.round);
	},
	"transcript.repaired"(turn, event) {
		turn.line(event.round, "note", `The model is shown a mended transcript: ${mended(event.data.repairs)}.`, "aside");
	},
	"tool.started": ofCall,
	"tool.completed": ofCall,
	"tool.failed": ofCall,
	"tool.deferred": ofCall,
	"tool.answered"(turn, event) {
		ofCall(turn, event);
		turn.asked(`${event.round}.${event.data.index}`);
	},
	"child.submitted": ofCall,
	"child.settled": ofCall,
	"child.abandoned": ofCall,
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
	if (item.file) {
		return [fileCard(item.file, turn.app)];
	}
	if (item.text === undefined) {
		return []; // only the model that made it understands it
	}
	if (item.kind === "reasoning") {
		return [h("details", { class: "reasoning", open: stood?.thinking }, h("summary", {}, "Reasoning", h("span", { class: "about", text: bytes(size(item.text)) })), valueView(item.text, turn.app.blob))];
	}
	return [turn.answered ? answer(item.text, turn.app.blob, stood) : h("div", { class: "said" }, valueView(item.text, turn.app.blob, false, stood?.height))];
}

const decisions = { deny: "halt", expired: "halt" };

const answer = (value, blob, stood) => h("div", { class: "answer" }, h("h4", { text: "Answer" }), valueView(value, blob, false, stood?.height));

// broken is what an answer had said when it ended before its end.
const broken = (value, blob, stood) => h("div", { class: "said broken" }, h("h4", { text: "Broken off" }), valueView(value, blob, false, stood?.height));

const problem = (what, error, then = "") => h("div", { class: "problem" }, icon("cross"), h("p", {}, h("strong", { text: `${what}: ${error.code}. ` }), `${error.message}${then && !error.message.endsWith(".") ? "." : ""}${then}`));

/** What an event did to a file, with a way to it. */
export function fileNote(event, app) {
	const { path, bytes: length } = event.data;
	if (event.type === "workspace.deleted") {
		return [icon("file"), `deleted ${path}`];
	}
	return [icon("file"), "wrote ", button(path, () => app.openFile(path), { class: "link" }), `, ${bytes(length)}`];
}
