// words.js says in words what the log says in codes. A code that it does not know
// stands as it is. It is pure.

import { dollars } from "./cost.js";
import { count, duration, many, usage } from "./format.js";

const misses = {
	model_changed: "another model was asked before", agent_changed: "the agent has changed", compacted: "the transcript was summarised",
	expired: "it was too long ago", provider: "the provider’s doing",
};

/** What an answer used, and why its provider's cache gave less than it could. */
export function used({ usage: tokens, cost, cacheMiss }) {
	return tokens ? [usage(tokens), tokens.cachedTokens && `${count(tokens.cachedTokens)} cached`, dollars(cost), cacheMiss && `cache missed: ${misses[cacheMiss] ?? cacheMiss}`] : [];
}

const repairs = {
	text_replaced: "text replaced that not every provider can read", arguments_replaced: "arguments left out that were no JSON object", result_added: "a call’s result added that says it is lost",
	result_dropped: "a result left out that had no call", file_named: "a file named that the provider does not take", shown_in_part: "a text shown in part that is too long for any model",
	files_refused: "files named only, as the provider refused them",
	native_dropped: "the provider’s own opaque material left out, as it refused it",
};

/** Repairs, those of one kind together. */
export function mended(all) {
	const kinds = new Map();
	all.forEach(({ kind }) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
	return [...kinds].map(([kind, n]) => `${repairs[kind] ?? kind}${n > 1 ? `, ${count(n)} times` : ""}`).join("; ");
}

/** How a call stands that another agent carries out. */
export function stands({ status, startedAt, endedAt, usage: tokens, error }) {
	if (!status) {
		return ["its answer is waited for"];
	}
	if (status === "abandoned") {
		return ["given up, as its parent ended first: it is cancelled"];
	}
	const took = startedAt && endedAt ? ` in ${duration(endedAt - startedAt)}` : "";
	return [`${status}${took}`, error && error.code !== status && error.code, ...(tokens?.modelCalls ? [many(tokens.modelCalls, "call of models", "calls of models"), ...used({ usage: tokens, cost: tokens.costUsd })] : [])];
}

const stops = { length: "The answer ends where the model had to stop", refusal: "The model declined" };

/** Why a model stopped that was not done. */
export const stopped = (stop) => `${stops[stop] ?? "The model stopped before it was done"} · ${stop}`;

/** A decision of a person's; `output` is on one line. `by` is how their key begins. */
export function decided({ decision, note, arguments: edited, by }, output) {
	return [decision.replaceAll("_", " "), edited !== undefined && "with other arguments", output && `with the result ${output}`, note && `“${note}”`, by && `by the key ${by}…`].filter(Boolean).join(", ");
}
