package browser

import (
	"fmt"
	"strings"
	"testing"

	"windlass/tests/embedded"
)

// questioned hands the page of [asked] a question about a call, as if the server had
// sent it.
const questioned = `(async () => {
	const { events, lastSeq } = await (await fetch("/v1/sessions/asked/events", { headers: { Authorization: "Bearer " + sessionStorage.getItem("windlass.key") } })).json();
	const at = new Date().toISOString().replace("Z", "000Z"), from = lastSeq + 1;
	const more = [
		["model.completed", { attempt: 1, stop: "tools", usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 }, costUsd: "0", items: [{ kind: "tool_call", call: { index: 0, callId: "c", name: "refund", arguments: "{}" } }] }],
		["approval.requested", { index: 0, name: "refund", reason: "policy", argumentsSha256: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", expiresAt: "2199-01-02T03:04:05.000000Z" }],
	];
	heard({ type: "events", session: "asked", from, to: from + 1, events: more.map(([type, data], i) => ({ seq: from + i, type, v: 1, at, operationId: "asked-turn", round: 1, data })) });
})()`

// Who looks elsewhere learns that a person is waited for: from the window's title, the
// session's row and the operation's. An answer goes to the server, which here knows of
// no question.
func TestAWaitingSessionSaysSo(t *testing.T) {
	t.Parallel()
	p := asked(t, desktop)
	p.expect("404 POST /v1/sessions/asked/operations/asked-turn/approvals/1.0")
	p.run(questioned)
	p.until(`document.title === "Waits for you · asked · Windlass"`)
	p.until(`document.querySelector('#operations [data-status="waiting"]')`)
	p.says(`#operations [data-status="waiting"]`, "asked-turn", "waits for you")
	p.says(`#sessions [aria-current="true"]`, "asked", "waits for you")
	p.run(`document.activeElement.blur()`)
	p.keys("a")
	p.until(`document.activeElement.textContent === "Approve"`)
	p.keys("\r")
	p.until(`document.querySelector(".approval .error").textContent.includes("not_found")`)
	if value[bool](p, inert) {
		t.Error("a decision that was not taken cannot be made again")
	}
	p.session("elsewhere")
	p.until(`document.title === "elsewhere · Windlass"`)
	p.until(`document.querySelector('#sessions a[href="#/sessions/asked"]').textContent.includes("waits for you")`)
	p.legible(desktop)
}

// deaf: no socket ever opens.
const deaf = `window.WebSocket = class {
	constructor() { setTimeout(() => this.onclose?.({})); }
	send() {}
	close() {}
}`

// Behind a proxy that lets no socket through the page goes on by HTTP, and says so.
func TestWithoutASocketThePageAsksByHTTP(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.before(deaf)
	p.visit("deaf")
	p.submit("stress", load(4, 1, 9, 30))
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	p.until(`document.querySelector("#connection").textContent.includes("By HTTP")`)
	if title := value[string](p, `document.querySelector("#connection").title`); !strings.Contains(title, "asked for by HTTP") {
		t.Errorf("it says %q", title)
	}
	p.submit("demo", "hello")
	p.until(`document.querySelectorAll('.turn[data-status="completed"]').length === 2`)
	ctx := embedded.Context(t)
	if shown, held := p.shown(), logged(ctx, t, s.Client(), "deaf"); fmt.Sprint(shown) != fmt.Sprint(held) {
		t.Errorf("the page shows %v, the log holds %v", shown, held)
	}
}

// A session that the list's first page does not name is not taken for one that nobody
// opened.
func TestAnOldSessionIsNotCalledNew(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	for i := range 51 {
		if _, _, err := s.Client().PutFile(ctx, fmt.Sprintf("s-%02d", i), "/a", []byte("a"), nil); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, s, desktop)
	p.visit("s-00")
	p.until(`document.querySelector('#sessions a[href="#/sessions/s-00"] .about').textContent.includes(":")`)
	p.session("new")
	p.until(`document.querySelector('#sessions a[href="#/sessions/new"] .about').textContent === "not opened yet"`)
}
