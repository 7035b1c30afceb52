package browser

import (
	"fmt"
	"testing"

	"windlass/tests/embedded"
)

// teller lets a test tell the page of events that no scripted agent brings about: a
// transcript and its fold, as the page has them, in the page's place. What the page
// would ask the server is kept: `opened` paths, `sent` answers, and `yes` and `no`, which
// settle the last of them.
const teller = `(async () => {
	const [{ Transcript }, { Fold }] = await Promise.all(["transcript", "fold"].map((name) => import("/console/" + name + ".js")));
	const refused = () => Object.assign(new Error("no such <b>operation"), { code: "not_found" });
	const fold = new Fold();
	window.opened = [];
	window.sent = [];
	window.blobs = {};
	window.used = { inputTokens: 1200, outputTokens: 20, cachedTokens: 0, reasoningTokens: 0 };
	const transcript = new Transcript({
		blob: async (sha256) => { if (!(sha256 in blobs)) throw new Error("no such <b>blob"); return new Response(blobs[sha256]); },
		openFile: (path) => opened.push(path),
		cancel: async () => { throw refused(); },
		decide: (id, step, answer) => new Promise((yes, no) => {
			sent.push({ id, step, ...answer });
			Object.assign(window, { yes, no: (code, message, status) => no(Object.assign(new Error(message), { code, status })) });
		}),
		argumentsOf: async () => { throw new Error("it is not waited for any more"); },
	});
	let seq = 0;
	window.tell = (type, round, data) => {
		const event = { seq: ++seq, type, v: 1, at: new Date().toISOString().replace("Z", "000Z"), operationId: "told", round, data };
		fold.apply(event);
		transcript.apply([event], fold);
	};
	window.call = (index, name, args) => ({ kind: "tool_call", call: { index, callId: "c", name, arguments: args ?? "{}" } });
	window.told = transcript;
	transcript.reset();
	tell("operation.accepted", 0, { prompt: "pay it back", agent: { name: "shop" } });
	tell("operation.started", 0, {});
	tell("model.started", 1, { attempt: 1, model: "maker/one" });
})()`

// listens opens a page that can be told of events, of the operation "told". No session is
// open in it, so nothing else writes there.
func listens(t *testing.T, look screen) *page {
	t.Helper()
	p := open(t, embedded.Start(t), look)
	p.visit("told")
	p.run(`location.hash = "#/"`)
	p.until(`document.querySelector("#title").textContent === "No session"`)
	p.run(`document.querySelector("#tab-transcript").click()`)
	p.run(teller)
	return p
}

// tell tells the page of an event of the operation "told"; data is JavaScript.
func (p *page) tell(kind string, round int, data string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`tell(%s, %d, %s)`, quoted(kind), round, data))
}

// legible fails the test if a text is faint, in light or in dark.
func (p *page) legible(look screen) {
	p.t.Helper()
	for _, dark := range []bool{false, true} {
		look.dark = dark
		p.look(look)
		if found := value[[]string](p, faint); len(found) > 0 {
			p.t.Errorf("dark %t: faint: %q", dark, found)
		}
	}
}
