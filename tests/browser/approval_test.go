package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// asks tells the page of a round with these calls, about each of which a person is
// asked for a reason.
func (p *page) asks(reason string, arguments ...string) {
	p.t.Helper()
	var hashes []string
	for _, a := range arguments {
		hashes = append(hashes, hashOf(a))
	}
	p.asksOf(reason, hashes, arguments)
	p.until(fmt.Sprintf(`[...document.querySelectorAll(".approval .exact pre")].length === %d`, len(arguments)))
}

// hashOf is a text's SHA-256 as the log has it.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// asksOf says of each call which arguments the question is about.
func (p *page) asksOf(reason string, hashes, arguments []string) {
	p.t.Helper()
	b, err := json.Marshal([][]string{arguments, hashes})
	if err != nil {
		p.t.Fatal(err)
	}
	p.run(fmt.Sprintf(`(() => {
		const [all, hashes] = %s, reason = %s;
		tell("model.completed", 1, { attempt: 1, stop: "tools", usage: used, items: all.map((a, i) => call(i, "refund", a)) });
		all.forEach((_, index) => {
			if (reason === "unknown_outcome") {
				tell("tool.started", 1, { index, name: "refund" });
				tell("tool.unknown", 1, { index, name: "refund" });
			}
			tell("approval.requested", 1, { index, name: "refund", reason, ...(reason === "policy" && { argumentsSha256: hashes[index], expiresAt: "2199-01-02T03:04:05.000000Z" }) });
		});
	})()`, b, quoted(reason)))
}

// decision is what the page would have sent.
type decision struct {
	ID, Step, Verb, Outcome, Note, Arguments, Result string
	UnknownSeq                                       uint64
}

func (p *page) decisions() []decision {
	p.t.Helper()
	return value[[]decision](p, "sent")
}

// press presses a button of the one question there is, by its words.
func (p *page) press(words string) {
	p.t.Helper()
	p.until(`document.querySelectorAll(".approval").length === 1`)
	p.run(fmt.Sprintf(`(() => { const b = [...document.querySelectorAll(".approval button")].find((b) => b.textContent === %s && b.checkVisibility()); b.scrollIntoView({ block: "center" }); b.setAttribute("data-press", ""); })()`, quoted(words)))
	p.click("[data-press]")
	p.run(`document.querySelector("[data-press]")?.removeAttribute("data-press")`)
}

// inert reports whether all buttons of the question are.
const inert = `[...document.querySelectorAll(".approval .choices button")].every((b) => b.getAttribute("aria-disabled") === "true")`

func TestACallThatWaitsIsApproved(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	args := `{"account": 12345678901234567890, "to": "<b>` + "\u202e" + `eve", "amount": 1.10}`
	p.asks("policy", args)
	p.says(".turn .status", "waiting")
	p.says(".approval", "refund", "policy", "Expires 2 Jan")
	if shown := value[string](p, `document.querySelector(".approval .exact pre").textContent`); shown != strings.ReplaceAll(args, "\u202e", `\u202e`) {
		t.Errorf("the arguments are shown as %q", shown)
	}
	p.press("Approve")
	p.until(inert)
	p.says(".approval", "Sending…")
	p.press("Approve") // once more, while it is sent
	p.press("Deny")
	p.run("yes({})")
	p.until(`document.querySelector(".approval").textContent.includes("Approved.")`)
	p.press("Approve")
	if d := cmp.Diff([]decision{{ID: "told", Step: "1.0", Verb: "approve"}}, p.decisions()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	p.tell("approval.resolved", 1, `{ index: 0, decision: "approve" }`)
	p.until(`!document.querySelector(".approval")`)
	p.says(".turn .round", "A person said of refund, call 1: approve")
	p.says(".turn .status", "running")
	p.harmless("a question")
}

// What a person changes is checked here, and goes as it was written.
func TestArgumentsAreEdited(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asks("policy", `{"account":12345678901234567890,"amount":1.10}`)
	p.press("Edit arguments")
	p.focused(".approval textarea")
	if text := value[string](p, `document.querySelector(".approval textarea").value`); text != "{\n  \"account\": 12345678901234567890,\n  \"amount\": 1.10\n}" {
		t.Errorf("there is %q to edit", text)
	}
	for _, bad := range []string{"[1]", `{"account":`, `"{}"`, ""} {
		p.fill(".approval textarea", bad)
		if bad == "" {
			p.run(`document.querySelector(".approval textarea").value = ""`)
		}
		p.press("Approve as edited")
		p.says(".approval .error", "These arguments cannot be sent")
		p.focused(".approval textarea")
	}
	edited := `{"account": 12345678901234567890, "amount": 0.50}`
	p.fill(".approval textarea", edited)
	p.keys(kb.Enter, 2) // Control
	p.until(inert)
	if d := cmp.Diff([]decision{{ID: "told", Step: "1.0", Verb: "approve", Arguments: edited}}, p.decisions()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	p.run(`no("invalid_arguments", "amount is <b>no number", 422)`)
	p.until(`document.querySelector(".approval .error").textContent.includes("It was not sent: amount is <b>no number (invalid_arguments). Decide again.")`)
	if text := value[string](p, `document.querySelector(".approval textarea").value`); text != edited {
		t.Errorf("what was written is lost: %q", text)
	}
	p.press("Approve as edited")
	p.run("yes({})")
	p.tell("approval.resolved", 1, `{ index: 0, decision: "approve", arguments: '{"amount": 0.50}' }`)
	p.tell("tool.started", 1, `{ index: 0, name: "refund" }`)
	p.tell("tool.completed", 1, `{ index: 0, name: "refund", output: "paid" }`)
	p.run(`document.querySelector(".call").open = true`)
	p.until(`document.querySelector(".call").textContent.includes("Result")`)
	p.says(".call", "1.10", "Arguments, as a person changed them", "0.50")
	p.says(".turn .round", "approve, with other arguments")
}

func TestACallIsDeniedWithANote(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asks("policy", `{}`)
	p.press("Deny")
	p.fill(".approval textarea", "not <b>today")
	p.press("Deny it")
	p.until(inert)
	if d := cmp.Diff([]decision{{ID: "told", Step: "1.0", Verb: "deny", Note: "not <b>today"}}, p.decisions()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	p.run("yes({})")
	p.tell("approval.resolved", 1, `{ index: 0, decision: "deny", note: "not <b>today" }`)
	p.tell("tool.failed", 1, `{ index: 0, name: "refund", error: { code: "denied", message: "a person did not allow this call: not <b>today" } }`)
	p.says(".turn .round", "A person said of refund, call 1: deny, “not <b>today”")
	p.harmless("a denial")
}

// Somebody else may be faster, the time may be up, and a network may be away.
func TestAnAnswerThatDoesNotCountSaysSo(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"approval_resolved": "Somebody was faster: it was answered before: deny", "approval_expired": "It is too late: "} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			p := listens(t, desktop)
			p.asks("policy", `{}`)
			p.press("Approve")
			p.run(fmt.Sprintf(`no(%s, "it was answered before: deny", 409)`, quoted(code)))
			p.until(fmt.Sprintf(`document.querySelector(".approval .error").textContent.includes(%s)`, quoted(want)))
			if !value[bool](p, inert) {
				t.Error("it can be answered once more")
			}
			p.tell("approval.resolved", 1, fmt.Sprintf(`{ index: 0, decision: %s }`, quoted(map[string]string{"approval_resolved": "deny", "approval_expired": "expired"}[code])))
			p.until(`!document.querySelector(".approval")`)
			p.says(".turn .round", map[string]string{"approval_resolved": "A person said of refund, call 1: deny", "approval_expired": "Nobody answered in time about refund, call 1: expired"}[code])
		})
	}
}

func TestAnUnknownOutcomeIsToldOf(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asks("unknown_outcome", `{"amount":5}`, `{"amount":6}`)
	p.says(".approval", "nobody knows whether it took effect", `{"amount":5}`)
	p.run(`document.querySelector(".approval button").click()`) // It happened
	p.fill(".approval textarea", "paid, says the bank")
	p.run(`[...document.querySelectorAll(".approval button")].find((b) => b.textContent === "Say that it happened").click()`)
	p.run("yes({})")
	p.tell("approval.resolved", 1, `{ index: 0, decision: "happened", output: "paid, says the bank" }`)
	p.press("It did not happen")
	p.run("yes({})")
	p.tell("approval.resolved", 1, `{ index: 1, decision: "did_not_happen" }`)
	want := []decision{{ID: "told", Step: "1.0", Verb: "reconcile", Outcome: "happened", Result: "paid, says the bank", UnknownSeq: 6}, {ID: "told", Step: "1.1", Verb: "reconcile", Outcome: "did_not_happen", UnknownSeq: 9}}
	if d := cmp.Diff(want, p.decisions()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	p.says(".turn .round", "call 1: happened, with the result paid, says the bank", "call 2: did not happen")
	p.says(".turn .status", "running")
}

// Without a mouse: into a form and back, from one question to the next, and what is
// decided hands the focus on.
func TestQuestionsAreAnsweredByKeyboard(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asks("policy", `{"n":0}`, `{"n":1}`)
	p.run(`told.toApproval("told")`) // the page's "a" is of its own transcript
	p.focused(".approval button")
	p.keys(kb.Tab + kb.Enter) // Deny
	p.focused(".approval textarea")
	p.keys("no" + kb.Tab + kb.Tab + kb.Enter) // Back
	p.focused(".approval button")
	p.run(`told.toApproval("told")`)
	p.focused(".approval:nth-of-type(2) button, .approval ~ .approval button")
	p.run(`told.toApproval("told")`)
	p.focused(".approval button")
	p.keys(kb.Enter)
	p.until("sent.length === 1")
	p.run("yes({})")
	p.tell("approval.resolved", 1, `{ index: 0, decision: "approve" }`)
	p.until(`document.activeElement.closest(".approval")?.getAttribute("aria-label") === "Decision about refund, call 2"`)
	p.tell("operation.cancel_requested", 0, `{}`)
	p.until(`!document.querySelector(".approval")`)
	p.focused(`.turn[aria-label="Operation told"]`)
}

// Arguments that stand apart are fetched: nobody approves what was not shown.
func TestLargeArgumentsAreFetched(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	large := `{"text":"<b>` + strings.Repeat("x", 300_000) + `END"}`
	p.run(`(() => {
		const large = JSON.stringify({ text: "<b>" + "x".repeat(300_000) + "END" });
		tell("model.completed", 1, { attempt: 1, stop: "tools", usage: used, items: [call(0, "mail", { ref: { sha256: "late", bytes: large.length, type: "application/json" } })] });
		tell("approval.requested", 1, { index: 0, name: "mail", reason: "policy", argumentsSha256: ` + quoted(hashOf(large)) + ` });
		window.large = large;
	})()`)
	p.until(`document.querySelector(".approval").textContent.includes("The arguments could not be read: no such <b>blob")`)
	p.run(`blobs.late = large`)
	p.press("Try again")
	p.until(`document.querySelector(".approval .exact pre")?.textContent === large`)
	if value[bool](p, `[...document.querySelectorAll(".approval .choices button")].some((b) => b.textContent === "Edit arguments" && b.checkVisibility())`) {
		t.Error("300 KB are offered to be edited")
	}
	p.says(".approval h4", "checked")
	p.harmless("large arguments")
}

// What is shown has to be what the question is about: else it is not approved here.
func TestArgumentsThatTheQuestionIsNotAboutAreMarked(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asksOf("policy", []string{hashOf(`{"amount":5}`), hashOf(`{"amount":6}`)}, []string{`{"amount":5}`, `{"amount":6000}`})
	p.until(`document.querySelectorAll(".approval .exact pre").length === 2`)
	p.says(".approval h4", "SHA-256 "+hashOf(`{"amount":5}`)[:12]+"… checked")
	type question struct {
		Wrong   string
		Buttons []string
	}
	got := value[[]question](p, `[...document.querySelectorAll(".approval")].map((a) => ({ Wrong: a.querySelector(".differs").textContent,
		Buttons: [...a.querySelectorAll(".choices button")].filter((b) => b.checkVisibility()).map((b) => b.textContent) }))`)
	want := []question{{"", []string{"Approve", "Deny", "Edit arguments"}}, {got[1].Wrong, []string{"Deny"}}}
	if d := cmp.Diff(want, got); d != "" || !strings.Contains(got[1].Wrong, "about other arguments") {
		t.Errorf("%q (-want +got):\n%s", got[1].Wrong, d)
	}
	p.run(`told.toApproval("told")`)
	p.run(`told.toApproval("told")`)
	p.until(`document.activeElement.textContent === "Deny"`)
	p.legible(desktop)
}

// To deny is as easy as to approve: a button of the same size, and the next one.
func TestDenyWeighsAsMuchAsApprove(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asks("policy", `{}`)
	type look struct {
		Width, Height float64
		Filled        bool
		Weight        string
	}
	looks := value[map[string]look](p, `Object.fromEntries([...document.querySelectorAll(".approval .choices > button")].map((b) => [b.textContent, {
		Width: b.offsetWidth, Height: b.offsetHeight, Filled: getComputedStyle(b).backgroundColor !== getComputedStyle(b.closest(".approval")).backgroundColor && getComputedStyle(b).backgroundColor !== "rgba(0, 0, 0, 0)",
		Weight: getComputedStyle(b).fontWeight }]))`)
	if d := cmp.Diff(looks["Approve"], looks["Deny"]); d != "" || !looks["Deny"].Filled {
		t.Errorf("Deny differs (-Approve +Deny):\n%s", d)
	}
	p.run(`told.toApproval("told")`)
	p.focused(".approval .primary")
	p.keys(kb.Tab)
	p.focused(".approval .deny")
	p.keys(" ")
	p.focused(".approval textarea")
	if hint := value[string](p, `document.activeElement.placeholder`); !strings.Contains(hint, "The model reads this") || !strings.Contains(hint, "log") {
		t.Errorf("the note's field says %q", hint)
	}
	p.legible(desktop)
}

// Whose key an answer came by is told with it.
func TestWhoAnsweredIsSaid(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.asks("policy", `{}`, `{}`)
	p.tell("approval.resolved", 1, `{ index: 0, decision: "approve", by: "1f0a<b>" }`)
	p.tell("approval.resolved", 1, `{ index: 1, decision: "deny" }`)
	p.says(".turn .round", "A person said of refund, call 1: approve, by the key 1f0a<b>…", "A person said of refund, call 2: deny")
	p.harmless("a key")
}

func TestAQuestionFitsANarrowScreenAndIsLegible(t *testing.T) {
	t.Parallel()
	p := listens(t, phone)
	p.asks("policy", `{"account":"`+strings.Repeat("a", 300)+`"}`)
	p.press("Edit arguments")
	type found struct{ Sideways, Outside, Small []string }
	got := value[found](p, narrow)
	if len(got.Sideways)+len(got.Outside)+len(got.Small) > 0 {
		t.Errorf("scrolls sideways: %q\noutside: %q\nsmaller than 40 px: %q", got.Sideways, got.Outside, got.Small)
	}
	p.legible(phone)
	p.press("Approve as edited")
	p.legible(phone)
}
