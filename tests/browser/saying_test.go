package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// written is a stress prompt whose answer comes in pieces.
func written(bytes, chunk, pause int) string {
	return fmt.Sprintf(`{"rounds":0,"answerBytes":%d,"chunkBytes":%d,"chunkMs":%d}`, bytes, chunk, pause)
}

// sayings keeps what the running answer looked like, each time that it changed: how
// long it was, and whether what stood there before was left alone.
const sayings = `(() => {
	window.lengths = [];
	window.rewritten = 0;
	let first;
	const look = () => {
		const text = document.querySelector(".saying .said");
		if (!text) return void (first = undefined);
		const node = text.querySelector("pre")?.firstChild;
		if (first && node !== first) rewritten++;
		first = node ?? first;
		if (lengths.at(-1) !== text.textContent.length) lengths.push(text.textContent.length);
	};
	addEventListener("DOMContentLoaded", () => new MutationObserver(look).observe(document.querySelector("#turns"), { childList: true, subtree: true }));
})()`

func TestAnAnswerIsReadWhileItIsWritten(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.before(sayings)
	p.visit("written")
	p.submit("stress", written(4000, 20, 20))
	p.until(`document.querySelector(".saying .said").textContent.length > 200 && document.querySelector(".round .saying h4").textContent.replaceAll("\u00a0", " ") === "Being written · not in the log yet"`)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	type end struct {
		Sayings, Rewritten, Answers, Steps, Answer int
		Grew                                       bool
	}
	got := value[end](p, `({ Sayings: document.querySelectorAll(".saying").length, Rewritten: rewritten, Answers: document.querySelectorAll(".answer").length, Steps: Math.min(5, lengths.length),
		Answer: document.querySelector(".answer .text").textContent.length, Grew: lengths.every((n, i) => i === 0 || n > lengths[i - 1]) })`)
	if d := cmp.Diff(end{0, 0, 1, 5, 4000, true}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A long one, without a line's end in it, is appended to and nothing else: and when it
// is done it is read on where it stood.
func TestALongAnswerMovesNothing(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.before(sayings)
	p.visit("long-answer")
	p.submit("stress", written(200_000, 1000, 20))
	p.until(`document.querySelector(".saying .said").textContent.length > 20000`)
	// What comes in the same frame may take the page to its end once more.
	p.until(`!document.querySelector("#latest").hidden || (document.querySelector("#scroll").scrollTop -= 5000, false)`)
	p.run("shifts.length = 0")
	top := value[int](p, `document.querySelector("#scroll").scrollTop`)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	p.until(`document.querySelector(".answer .text")?.textContent.length === 200000`)
	jumped, sum := value[[]shift](p, "shifts"), 0.0
	for _, s := range jumped {
		sum += s.Value
	}
	if sum > 5*most { // the answer has another margin than what was being written
		t.Errorf("the layout jumped by %.4f: %+v", sum, jumped)
	}
	if after := value[int](p, `document.querySelector("#scroll").scrollTop`); after < top-200 || after > top+200 {
		t.Errorf("the reader was moved from %d to %d", top, after)
	}
	if n := value[int](p, "rewritten"); n > 0 {
		t.Errorf("what stood there was written anew %d times", n)
	}
}

// Who opens the page in the middle of an answer reads what was said before.
func TestAnAnswerIsJoinedInTheMiddle(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	if _, err := s.Client().Submit(ctx, "joined", client.Submission{Prompt: written(100_000, 20, 20), OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	first := open(t, s, desktop)
	first.visit("joined")
	first.until(`document.querySelector(".saying .said").textContent.length > 500`)
	p := open(t, s, phone)
	p.visit("joined")
	p.view("transcript")
	p.until(`document.querySelector(".saying .said").textContent.length > 500`)
	text := value[string](p, `document.querySelector(".saying .said").textContent`)
	first.cancel("op") // else it goes on for minutes, so that a slow page comes in time
	p.settled("op", "cancelled")
	p.until(`document.querySelector(".broken .text")`)
	if whole := value[string](p, `document.querySelector(".broken .text").textContent`); !strings.HasPrefix(whole, text) {
		t.Errorf("it read %q, and the answer is %.200q", text, whole)
	}
}

// What a cancelled answer had said is kept, in the place where it was being written.
func TestACancelledAnswerIsBrokenOff(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("broken")
	p.name("broken-turn")
	p.submit("stress", written(100_000, 20, 20))
	p.until(`document.querySelector(".saying .said").textContent.length > 200`)
	text := value[string](p, `document.querySelector(".saying .said").textContent`)
	p.cancel("broken-turn")
	p.settled("broken-turn", "cancelled")
	if value[bool](p, `document.querySelector(".saying") !== null`) {
		t.Error("it is shown as being written after its end")
	}
	if kept := value[string](p, `document.querySelector(".round .broken .text").textContent`); !strings.HasPrefix(kept, text) {
		t.Errorf("%q was read, and %q is kept", text, kept)
	}
}

// heard hands a frame to the page as if the server had sent it.
const heard = `(() => {
	const Real = WebSocket;
	window.WebSocket = class extends Real {
		constructor(...given) {
			super(...given);
			window.heard = (frame) => this.onmessage({ data: JSON.stringify({ v: 1, ...frame }) });
		}
	};
})()`

// asked is a page whose turn waits for its model, which says nothing by itself.
func asked(t *testing.T, look screen) *page {
	t.Helper()
	s := embedded.Start(t)
	p := open(t, s, look)
	p.before(heard)
	p.visit("asked")
	p.run(`document.querySelector("#tab-transcript").click()`) // a wide window shows it anyway
	p.name("asked-turn")
	p.submit("stress", load(1, 1, 9, 60_000))
	p.round(1)
	return p
}

// hear hears a preview of the turn's first round, at an offset.
func (p *page) hear(kind, text string, offset int, run int) {
	p.t.Helper()
	b, err := json.Marshal(map[string]any{"type": "preview", "session": "asked", "operationId": "asked-turn", "round": 1, "attempt": 1, "run": run, "kind": kind, "offset": offset, "text": text})
	if err != nil {
		p.t.Fatal(err)
	}
	p.run("heard(" + string(b) + ")")
}

// hears waits until the page shows a text as what is being written.
func (p *page) hears(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector(".saying .said").textContent === %s`, quoted(text)))
}

// reasons hears a reasoning, and unfolds it.
func (p *page) reasons(text string) {
	p.t.Helper()
	p.hear("reasoning", text, 0, 1)
	p.until(`!document.querySelector(".saying .reasoning").hidden`)
	p.run(`document.querySelector(".saying .reasoning").scrollIntoView({ block: "center" })`) // not below its turn's head
	p.click(".saying .reasoning summary")
	p.until(fmt.Sprintf(`document.querySelector(".saying .reasoning .growing").textContent === %s`, quoted(text)))
}

func TestWhatIsBeingWrittenStaysText(t *testing.T) {
	t.Parallel()
	p := asked(t, desktop)
	var all string
	for _, text := range []string{beacon, script, sneaky, frame, document, drawing} {
		p.hear("text", text, len(all), 1)
		all += text
		p.hears(all)
	}
	p.reasons(document)
	p.harmless("a running answer")
}

// A hole is told, another run replaces what the first one said, and the call's end
// takes all of it away.
func TestAPreviewIsWhatItIs(t *testing.T) {
	t.Parallel()
	p := asked(t, desktop)
	p.hear("text", "one two", 0, 1)
	p.hears("one two")
	p.hear("text", "four", 14, 1)
	p.hears("What was said before this is missing here.four")
	p.hear("text", " three ", 7, 1)
	p.hears("one two three four")
	p.hear("text", "again", 0, 2)
	p.hears("again")
	p.run(`(async () => {
		const { operations, asOfSeq } = await (await fetch("/v1/sessions/asked/operations", { headers: { Authorization: "Bearer " + sessionStorage.getItem(sessionStorage.key(0)) } })).json();
		heard({ type: "events", session: "asked", from: asOfSeq + 1, to: asOfSeq + 1, events: [{ seq: asOfSeq + 1, type: "model.failed", v: 1, at: new Date().toISOString(), operationId: "asked-turn", round: 1,
			data: { attempt: 1, error: { code: "unavailable", message: "it broke off" }, partial: "again, and then" } }] });
	})()`)
	p.until(`document.querySelector(".round .broken")?.innerText === "Broken off\nagain, and then"`)
	p.hear("text", " late", 5, 2)
	p.until("true")
	if value[bool](p, `document.querySelector(".saying") !== null`) {
		t.Error("what was being written stays beside what was kept of it")
	}
}

// In the light and in the dark, on a phone: it can be read, and fits.
func TestWhatIsBeingWrittenFitsAndStandsOut(t *testing.T) {
	t.Parallel()
	dark := phone
	dark.dark = true
	for _, look := range []screen{phone, dark} {
		p := asked(t, look)
		p.hear("text", strings.Repeat("a long line ", 100)+strings.Repeat("x", 500), 0, 1)
		p.reasons("hm")
		type found struct {
			Sideways, Outside, Small []string
			Targets                  int
		}
		if got := value[found](p, narrow); len(got.Sideways)+len(got.Outside)+len(got.Small) > 0 || got.Targets < 5 {
			t.Errorf("scrolls sideways: %q\noutside: %q\nsmaller than 40 px: %q", got.Sideways, got.Outside, got.Small)
		}
		if got := value[[]string](p, faint); len(got) > 0 {
			t.Errorf("dark %t: faint: %q", look.dark, got)
		}
	}
}
