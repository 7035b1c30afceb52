package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"windlass/tests/embedded"
)

// family hands the page of [asked] a round whose calls are: two for other agents, and
// one of a tool, as if the server had sent it.
const family = `(async () => {
	const { lastSeq } = await (await fetch("/v1/sessions/asked/events", { headers: { Authorization: "Bearer " + sessionStorage.getItem("windlass.key") } })).json();
	let next = lastSeq + 1;
	const used = { inputTokens: 1200, outputTokens: 20, cachedTokens: 0, reasoningTokens: 0 };
	window.tells = (...more) => {
		const from = next, at = new Date().toISOString().replace("Z", "000Z");
		const events = more.map(([type, data]) => ({ seq: next++, type, v: 1, at, operationId: "asked-turn", round: 1, data }));
		heard({ type: "events", session: "asked", from, to: next - 1, events });
	};
	const call = (index, name, args) => ({ kind: "tool_call", call: { index, callId: "c", name, arguments: args } });
	tells(
		["model.completed", { attempt: 1, stop: "tools", usage: used, costUsd: "0.5", items: [call(0, "delegate", '{"agent":"<b>worker","prompt":"one"}'), call(1, "delegate", '{"agent":"gone","prompt":"two"}'), call(2, "look", "{}")] }],
		["child.submitted", { index: 0, session: "child-0", operationId: "task", agent: "<b>worker" }],
		["child.submitted", { index: 1, session: "child-1", operationId: "task", agent: "gone" }],
		["tool.started", { index: 2, name: "look", effect: "read" }],
	);
	window.child = { ...used, modelCalls: 3, costUsd: "0.25" };
})()`

// calls are the states of the calls that the page shows, and what stands below them.
const calls = `[...document.querySelectorAll(".call")].map((c) => c.dataset.state + ": " + (c.nextElementSibling?.matches(".child") ? c.nextElementSibling.textContent.replaceAll("\u00a0", " ") : ""))`

// A call that another agent carries out is shown as that, from its submission to its end:
// whose it is, where, how it stands and what it used.
func TestADelegatedCallIsShownAsAnotherAgents(t *testing.T) {
	t.Parallel()
	p := asked(t, desktop)
	p.run(family)
	p.until(`document.querySelectorAll(".child").length === 2`)
	want := []string{
		"elsewhere: Agent <b>worker, in the session child-0its answer is waited for",
		"elsewhere: Agent gone, in the session child-1its answer is waited for",
		"running: ",
	}
	if got := value[[]string](p, calls); !slices.Equal(got, want) {
		t.Errorf("while they work the calls are %q, want %q", got, want)
	}
	p.says(".call summary", "with another agent")
	p.view("timeline")
	p.until(`document.querySelectorAll("#panel-timeline .chart .bar-child").length === 2 && document.querySelectorAll("#panel-timeline .chart .bar-tool").length === 1`)
	p.legible(desktop)

	p.run(`tells(["child.settled", { index: 0, status: "completed", output: "did it", usage: child }], ["child.settled", { index: 1, status: "failed", error: { code: "unknown_agent", message: "no such <b>agent" }, usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, modelCalls: 0, costUsd: "0" } }])`)
	p.until(`document.querySelector('.child[data-state="completed"]') && document.querySelector('.child[data-state="failed"]')`)
	p.says(`.child[data-state="completed"]`, "completed in ", "3 calls of models · 1,200 tokens in, 20 out · $0.25")
	p.says(`.child[data-state="failed"]`, "failed in ", "unknown_agent")
	p.until(`document.querySelector(".turn-head .about").textContent.replaceAll("\u00a0", " ").includes("2,400 tokens in, 40 out · $0.75")`) // the children's is the parent's
	p.run(`tells(["tool.completed", { index: 0, callId: "c", name: "delegate", output: "did it" }], ["tool.failed", { index: 1, callId: "c", name: "delegate", error: { code: "unknown_agent", message: "no such <b>agent" } }])`)
	p.until(calls + `.map((c) => c.split(":")[0]).join() === "done,failed,running"`)
	p.view("log")
	p.until(`["#0 to <b>worker, in the session child-0", "#0 completed: did it", "#1 failed: unknown_agent: no such <b>agent"].every((said) => document.querySelector(".log-list").textContent.replaceAll("\u00a0", " ").includes(said))`)
	p.harmless("a delegated call")

	p.click(`.child a`)
	p.until(`document.querySelector("#title").textContent === "child-0"`)
}

// A parent that ends first gives its child up: that is no failure of the child's.
func TestAChildThatIsGivenUpSaysSo(t *testing.T) {
	t.Parallel()
	p := listens(t, phone)
	p.run(`tell("model.completed", 1, { attempt: 1, stop: "tools", usage: used, items: [call(0, "delegate")] });
		tell("child.submitted", 1, { index: 0, session: "child-with-a-name-" + "x".repeat(100), operationId: "task", agent: "worker-" + "y".repeat(50) });
		tell("operation.cancel_requested", 0, {});
		tell("child.abandoned", 1, { index: 0, session: "child-with-a-name-" + "x".repeat(100), operationId: "task" });
		tell("tool.failed", 1, { index: 0, callId: "c", name: "delegate", error: { code: "cancelled", message: "the turn was cancelled" } });
		tell("operation.cancelled", 0, { usage: used })`)
	p.says(".child", "given up, as its parent ended first: it is cancelled")
	p.until(`document.querySelector('.call[data-state="cancelled"]')`)
	type found struct{ Sideways, Outside, Small []string }
	if got := value[found](p, narrow); len(got.Sideways)+len(got.Outside)+len(got.Small) > 0 {
		t.Errorf("scrolls sideways: %q\noutside: %q\nsmaller than 40 px: %q", got.Sideways, got.Outside, got.Small)
	}
	p.legible(phone)
}

// opened has the page's next read of a session's log begin with a session that exists for
// a call of the session "boss".
const opened = `(() => {
	const real = window.fetch;
	window.fetch = async (to, init) => {
		const answer = await real(to, init);
		if (!/\/v1\/sessions\/child\/events\?/.test(new URL(to, location).href) || !answer.ok) return answer;
		const page = await answer.json();
		for (const event of page.events) if (event.type === "session.opened") event.data.parent = { session: "boss", operationId: "<b>op", round: 2, index: 0, depth: 1 };
		return new Response(JSON.stringify(page), { status: answer.status, headers: answer.headers });
	};
	window.WebSocket = class {
		constructor() { setTimeout(() => this.onclose?.({})); }
		send() {}
		close() {}
	};
})()`

// From a child there is a way to the session that it works for, wherever its transcript is
// scrolled to.
func TestAChildLeadsToItsParent(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.before(opened)
	p.visit("child")
	p.submit("demo", "hello")
	p.says(".turns > .aside", "for call 1 in round 2 of <b>op, in boss")
	p.until(`!document.querySelector("#parent").hidden`)
	p.says("#parent", "for boss")
	p.legible(desktop)
	p.harmless("a parent")
	p.keys(kb.Escape) // a focus is shown to who uses keys
	p.run(`document.querySelector("#parent a").focus()`)
	p.focused("#parent a")
	p.keys(kb.Enter)
	p.until(`document.querySelector("#title").textContent === "boss" && document.querySelector("#parent").hidden`)
}
