// log.mjs writes logs for tests: events as the API serves them, a millisecond apart.

/** Makes a log of the given types and data, for the operation "op". */
export function log(...steps) {
	return steps.map(([type, data = {}, round], i) => ({
		seq: i + 1, type, v: 1, at: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, i)).toISOString().replace("Z", "000Z"),
		...(type === "session.opened" ? {} : { operationId: "op" }), ...(round ? { round } : {}), data,
	}));
}

export const usage = { inputTokens: 3, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0 };

export const calls = (...names) => ({ attempt: 1, stop: "tools", usage, items: names.map((name, index) => ({ kind: "tool_call", call: { index, callId: "c", name, arguments: "{}" } })) });

/** A turn of two rounds with two calls, whose driver was replaced in the second. */
export function turn() {
	return log(
		["session.opened", { streamId: "s", agent: "demo" }],
		["operation.accepted", { prompt: "do it", fingerprint: "v1:0", agent: { name: "demo", digest: "", definition: "" } }],
		["operation.started"],
		["model.started", { attempt: 1, model: "scripted/demo" }, 1],
		["model.failed", { attempt: 1, error: { code: "rate_limited", message: "later" }, retryAt: "2026-01-02T03:04:05.005000Z" }, 1],
		["model.started", { attempt: 2, model: "scripted/demo" }, 1],
		["model.completed", { ...calls("read", "write"), attempt: 2 }, 1],
		["tool.started", { index: 0, name: "read" }, 1],
		["tool.started", { index: 1, name: "write" }, 1],
		["tool.completed", { index: 1, callId: "c", name: "write", output: "written" }, 1],
		["tool.failed", { index: 0, callId: "c", name: "read", error: { code: "not_found", message: "no such file" } }, 1],
		["model.started", { attempt: 1, model: "scripted/demo" }, 2],
		["operation.resumed", { reason: "takeover", generation: 1, by: "d2" }],
		["model.completed", { attempt: 1, stop: "end", usage, items: [{ kind: "text", text: "done" }] }, 2],
		["operation.completed", { output: "done", usage: { ...usage, inputTokens: 6, outputTokens: 4, modelCalls: 3 } }],
	);
}
