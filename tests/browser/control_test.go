package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"windlass/tests/embedded"
)

// slow is a turn whose model takes a minute: longer than any test waits.
var slow = load(1, 1, 9, 60_000)

// occupied opens a session in which the model of operation "slow-turn" is being asked.
func occupied(t *testing.T, look screen, session string) *page {
	t.Helper()
	p := open(t, embedded.Start(t), look)
	p.visit(session)
	p.name("slow-turn")
	p.submit("stress", slow)
	p.round(1)
	return p
}

// turnOf is an operation's article, as JavaScript finds it.
func turnOf(operation string) string {
	return fmt.Sprintf(`document.querySelector('.turn[aria-label="Operation %s"]')`, operation)
}

// cancel presses an operation's button with the mouse.
func (p *page) cancel(operation string) {
	p.t.Helper()
	p.click(fmt.Sprintf(`.turn[aria-label="Operation %s"] .cancel`, operation))
}

// choose says what becomes of a prompt while others are not settled.
func (p *page) choose(policy string) {
	p.t.Helper()
	p.until(`document.querySelector("#if-busy").checkVisibility()`)
	p.run(fmt.Sprintf(`(() => { const choice = document.querySelector("#if-busy"); choice.value = %s; choice.dispatchEvent(new Event("change")); })()`, quoted(policy)))
}

// says waits for texts in an element, wherever it is scrolled to.
func (p *page) says(css string, want ...string) {
	p.t.Helper()
	for _, w := range want {
		p.until(fmt.Sprintf(`document.querySelector(%s).textContent.replaceAll("\u00a0", " ").includes(%s)`, quoted(css), quoted(w)))
	}
}

// The model is not waited for, and what waited runs.
func TestATurnIsCancelledWhileItsModelIsAsked(t *testing.T) {
	t.Parallel()
	p := occupied(t, desktop, "cancelled")
	p.name("next")
	p.submit("demo", readme)
	p.until(turnOf("next") + `.dataset.status === "queued"`)
	p.cancel("slow-turn")
	p.settled("slow-turn", "cancelled")
	p.settled("next", "completed")
	if got := value[[]string](p, `[...document.querySelectorAll(".turn .status")].map((s) => s.textContent + " " + s.querySelector("svg").classList[1])`); strings.Join(got, ", ") != "cancelled icon-halt, completed icon-check" {
		t.Errorf("the turns are shown as %q", got)
	}
	p.says(`.turn[aria-label="Operation slow-turn"]`, "Cancel was asked for", "Attempt 1 was given up", "This operation was cancelled.")
	p.says(`#operations [data-status="cancelled"]`, "slow-turn", "cancelled")
	if value[bool](p, `[...document.querySelectorAll(".cancel")].some((b) => b.checkVisibility({ visibilityProperty: true }))`) {
		t.Error("what is settled can be cancelled")
	}
	p.click(`#operations [data-id="slow-turn"] button`)
	p.until(`document.querySelector("#panel-timeline .end-label")?.textContent === "cancelled, round 1"`)
}

// Without a mouse: a queued one goes, and the one before it runs on until it is
// cancelled too. Escape cancels nothing.
func TestAQueuedOperationIsCancelledByKeyboard(t *testing.T) {
	t.Parallel()
	p := occupied(t, desktop, "queued")
	p.name("queued")
	p.submit("demo", readme)
	p.until(turnOf("queued") + `.dataset.status === "queued"`)
	p.run(turnOf("queued") + `.querySelector(".cancel").focus()`)
	p.keys(kb.Escape)
	p.run(turnOf("queued") + `.querySelector(".cancel").focus()`)
	p.focused(`.turn[aria-label="Operation queued"] .cancel`)
	if status := value[string](p, turnOf("queued")+`.dataset.status + document.activeElement.textContent`); status != "queuedCancel" {
		t.Errorf("after Escape the queued one is %q", status)
	}
	p.keys(kb.Enter)
	p.settled("queued", "cancelled")
	p.says(`.turn[aria-label="Operation queued"]`, "This operation was cancelled before it ran.")
	p.says("#receipt", "Never ran", "Cancelled")
	if status := value[string](p, turnOf("slow-turn")+`.dataset.status`); status != "running" {
		t.Errorf("the one before it is %q", status)
	}
	p.focused(`.turn[aria-label="Operation queued"]`) // its button is gone
	p.keys("x")
	p.focused(`.turn[aria-label="Operation slow-turn"] .cancel`)
	p.keys(kb.Enter)
	p.settled("slow-turn", "cancelled")
}

// From the answer on the page says that it is being cancelled, until it is, and
// nothing moves meanwhile.
func TestACancelSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	p := occupied(t, desktop, "asked")
	p.run(`(() => {
		window.said = [];
		const b = ` + turnOf("slow-turn") + `.querySelector(".cancel");
		new MutationObserver(() => said.at(-1) === b.textContent || said.push(b.textContent)).observe(b, { childList: true, characterData: true, subtree: true });
	})()`)
	p.until(`document.querySelector("#if-busy").checkVisibility()`)
	p.run("shifts.length = 0")
	p.cancel("slow-turn")
	p.settled("slow-turn", "cancelled")
	p.until(`!document.querySelector("#if-busy").checkVisibility()`)
	jumped, sum := value[[]shift](p, "shifts"), 0.0
	for _, s := range jumped {
		sum += s.Value
	}
	if sum > most {
		t.Errorf("the layout jumped by %.4f, at most %.2f: %+v", sum, most, jumped)
	}
	if said := value[[]string](p, "said"); strings.Join(said, " ") != "Asking… Cancelling…" {
		t.Errorf("the button said %q", said)
	}
}

// A text for the turn that runs stands in that turn, where it was said.
func TestATurnIsSteered(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("steered")
	p.name("turn")
	p.submit("stress", load(100, 1, 9, 300))
	p.round(6)
	p.until(`(() => { const b = document.querySelector(".cancel"), r = b.getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) === b; })()`) // it stays in sight
	p.choose("steer")
	text := load(0, 0, 0, 0) // its script does this from now on: it answers
	p.submit("stress", text)
	p.until(`document.querySelector("#receipt").textContent.includes("said to operation")`)
	p.says("#receipt", "Said", "turn", "durable after seq")
	p.settled("turn", "completed")
	p.until(`document.querySelector("#receipt").textContent.includes("Completed")`)
	p.says(".steered", "Said while it ran", text)
	type shape struct{ Turns, Said, After int }
	got := value[shape](p, `(() => {
		const said = document.querySelectorAll(".steered"), rounds = [...document.querySelectorAll(".round")];
		return { Turns: document.querySelectorAll(".turn").length, Said: said.length, After: rounds.length - 1 - rounds.indexOf(said[0].closest(".round")) };
	})()`)
	if want := (shape{1, 1, 1}); got != want {
		t.Errorf("turns, texts said, and rounds after them: %+v, want %+v", got, want)
	}
	p.until(`!document.querySelector("#if-busy").checkVisibility()`)
}

// Who wants no queue is told what else there is, and loses no text.
func TestABusySessionRejectsOrIsInterrupted(t *testing.T) {
	t.Parallel()
	p := occupied(t, desktop, "busy")
	p.expect("409 POST /v1/sessions/busy/operations") // by HTTP, if the socket is not open
	p.choose("reject")
	p.submit("demo", readme)
	p.until(`document.querySelector("#receipt").textContent.includes("Not submitted")`)
	p.says("#receipt", "Another operation of this session is not settled", "wait, steer or interrupt")
	if kept := value[string](p, `document.querySelector("#prompt").value`); kept != readme {
		t.Errorf("the box holds %q", kept)
	}
	if n := value[int](p, `document.querySelectorAll(".turn").length`); n != 1 {
		t.Errorf("there are %d turns", n)
	}
	p.choose("interrupt")
	p.click("#send")
	p.settled("slow-turn", "cancelled")
	p.until(`[...document.querySelectorAll('.turn[data-status="completed"]')].length === 1`)
	p.says("#receipt", "Accepted", "Ran", "Completed")
}

// The choice is there while there is something to choose, and each session's is kept.
func TestTheChoiceIsShownWhileSomethingIsUnsettled(t *testing.T) {
	t.Parallel()
	p := occupied(t, desktop, "choice")
	p.choose("steer")
	p.session("elsewhere")
	p.until(`!document.querySelector("#if-busy").checkVisibility() && document.querySelector("#if-busy").value === "enqueue"`)
	p.session("choice")
	p.until(`document.querySelector("#if-busy").checkVisibility() && document.querySelector("#if-busy").value === "steer"`)
	p.cancel("slow-turn")
	p.settled("slow-turn", "cancelled")
	p.until(`!document.querySelector("#if-busy").checkVisibility()`)
}

func TestARunningTurnFitsANarrowScreenAndAFinger(t *testing.T) {
	t.Parallel()
	p := occupied(t, phone, "a-session-with-a-name-that-is-rather-long")
	p.choose("reject")
	type found struct{ Sideways, Outside, Small []string }
	if got := value[found](p, narrow); len(got.Sideways)+len(got.Outside)+len(got.Small) > 0 {
		t.Errorf("scrolls sideways: %q\noutside: %q\nsmaller than 40 px: %q", got.Sideways, got.Outside, got.Small)
	}
	p.run(`document.querySelector("details.more").open = false`) // it was opened to name the turn
	if heights := value[[]int](p, `[".controls", "#send"].map((css) => document.querySelector(css).getBoundingClientRect().height)`); heights[0] != heights[1] {
		t.Errorf("the controls are %d px high, and a row of them %d", heights[0], heights[1])
	}
}

// told are events of a turn that no scripted agent brings about.
const told = `(() => {
	tell("model.completed", 1, { attempt: 1, stop: "tools", usage: used, items: [call(0, "refund"), call(1, "mail")] });
	tell("operation.warned", 1, { code: "repeated_calls", message: "the same <b>again" });
	tell("tool.started", 1, { index: 0, name: "refund" });
	tell("tool.unknown", 1, { index: 0, name: "refund" });
	tell("tool.started", 1, { index: 1, name: "mail" });
	tell("tool.completed", 1, { index: 1, name: "mail", output: "sent" });
	tell("approval.requested", 1, { index: 0, name: "refund", reason: "unknown_outcome" });
})()`

// What a person may have to know or decide is a line of its own, and text.
func TestWaitingAndWarningsAreTold(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.run(told)
	p.says(".turn .status", "waiting")
	p.says(".turn .round", "The model is told: the same <b>again · repeated_calls", "Whether refund, call 1, took effect is not known", "Waits for a person, about refund, call 1 · unknown_outcome", "waits for a person")
	p.run(`document.querySelector(".cancel").click()`)
	p.until(`document.querySelector(".turn-head .error").textContent.includes("It was not cancelled: no such <b>operation (not_found). Press Cancel again.")`)
	p.legible(desktop)
	p.run(`tell("approval.resolved", 1, { index: 0, decision: "happened", output: "refunded" })`)
	p.says(".turn .status", "running")
	p.says(".turn .round", "A person said of refund, call 1: happened, with the result refunded")
	p.run(`(() => {
		tell("tool.completed", 1, { index: 0, name: "refund", output: "refunded" });
		tell("model.started", 2, { attempt: 1, model: "m" });
		tell("message.steered", 0, { text: "and <b>say so" });
		tell("model.completed", 2, { attempt: 1, stop: "end", usage: used, items: [{ kind: "text", text: "done" }] });
		tell("model.started", 3, { attempt: 1, model: "m" });
		tell("model.completed", 3, { attempt: 1, stop: "length", usage: used, items: [{ kind: "text", text: "I have" }] });
		tell("operation.completed", 0, { output: "I have", stop: "length", usage: used });
	})()`)
	p.says(".rounds", "Said while it ran", "and <b>say so", "The answer ends where the model had to stop · length")
	p.until(`document.querySelector(".answer").innerText !== ""`) // a round is drawn once it is in sight
	if answers := value[[]string](p, `[...document.querySelectorAll(".answer")].map((a) => a.innerText)`); len(answers) != 1 || !strings.Contains(answers[0], "I have") {
		t.Errorf("the answers are %q", answers)
	}
	p.harmless("what a turn tells")
}
