// cost.js sums what calls of a model use. Amounts of US dollars are decimal texts, as
// the log has them: they are added exactly, and are numbers for the eye alone. It is pure.

const TOKENS = ["inputTokens", "outputTokens", "cachedTokens", "reasoningTokens", "cacheWriteTokens"];
const ENDS = ["model.completed", "model.failed", "transcript.compacted"]; // of a call of the model
const CHILD = "child.settled"; // what another agent used for a call counts here too
const UNKNOWN = "unknown";

/** What was used before anything was. */
export const nothing = () => ({ inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, modelCalls: 0, costUsd: "0" });

/** A usage and what the event adds to it. */
export function spend(usage, { type, data }) {
	if (type === "model.started") {
		return { ...usage, modelCalls: usage.modelCalls + 1 };
	}
	const used = type === CHILD || ENDS.includes(type) ? data.usage : undefined;
	if (!used) {
		return usage;
	}
	const cost = type === CHILD ? used.costUsd : data.costUsd;
	const sum = { ...usage, modelCalls: usage.modelCalls + (type === CHILD ? used.modelCalls : 0) };
	for (const name of TOKENS.filter((name) => used[name])) {
		sum[name] = (sum[name] ?? 0) + used[name];
	}
	// A call that used nothing costs nothing, though nobody wrote it down.
	sum.costUsd = cost || TOKENS.some((name) => used[name]) ? sumUSD(usage.costUsd, cost) : usage.costUsd;
	return sum;
}

/** The sum of two amounts; unknown if one of them is. */
export function sumUSD(a, b) {
	if (!known(a) || !known(b)) {
		return UNKNOWN;
	}
	const places = Math.max(fraction(a).length, fraction(b).length);
	const sum = (scaled(a, places) + scaled(b, places)).toString().padStart(places + 1, "0");
	const at = sum.length - places;
	return `${sum.slice(0, at)}.${sum.slice(at)}`.replace(/\.?0+$|\.$/, "");
}

const known = (usd) => typeof usd === "string" && usd.length <= 64 && /^(\d+\.?\d*|\.\d+)$/.test(usd);

const fraction = (usd) => usd.split(".")[1] ?? "";

const scaled = (usd, places) => BigInt(usd.split(".")[0] + fraction(usd).padEnd(places, "0"));

const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const tiny = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3, maximumFractionDigits: 12 });

/** An amount for people, rounded. */
export function dollars(usd) {
	if (!known(usd)) {
		return "cost unknown";
	}
	const n = Number(usd);
	return n === 0 ? "free" : `$${n < 0.1 ? tiny.format(n) : cents.format(n)}`;
}
