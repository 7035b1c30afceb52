package browser

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// most is how far all of the layout may jump while a turn is followed, in the units
// of the Layout Instability API: the part of the window that moved times how far, of
// the window. 0.1 is what is commonly called good for a page's whole life; a turn of
// thirty rounds may take a fifth of it.
const most = 0.02

type shift struct {
	Value float64
	Of    []string
}

// statuses keeps as what the first turn was shown: a look from outside may come too late.
const statuses = `(() => {
	window.statuses = [];
	const look = () => {
		const status = document.querySelector(".turn")?.dataset.status;
		status && statuses.at(-1) !== status && statuses.push(status);
	};
	new MutationObserver(look).observe(document.querySelector("#turns"), { childList: true, subtree: true, attributes: true });
})()`

func load(rounds, calls, bytes, latency int) string {
	return fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":%d,"answerBytes":64,"reasoningBytes":32,"latencyMs":%d}`, rounds, calls, bytes, latency)
}

func TestATurnOfThirtyRoundsIsFollowedLive(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("live")
	p.view("log")
	p.run(statuses)
	p.submit("stress", load(30, 2, 64, 60))
	p.round(1)
	p.says("#receipt", "Accepted")
	p.run("shifts.length = 0") // what the submit itself moves is its user's doing
	p.round(31)
	p.until(`document.querySelector(".turn").dataset.status === "completed"`)
	p.until(`document.querySelector("#connection .seq").textContent.length > 0`)
	if seen := value[[]string](p, "statuses"); !slices.Contains(seen, "running") || seen[len(seen)-1] != "completed" {
		t.Errorf("the turn was shown as %q", seen)
	}
	jumped, sum := value[[]shift](p, "shifts"), 0.0
	for _, s := range jumped {
		sum += s.Value
	}
	if sum > most {
		t.Errorf("the layout jumped by %.4f, at most %.2f: %+v", sum, most, jumped)
	}
	if d := cmp.Diff(logged(ctx, t, s.Client(), "live"), p.shown()); d != "" {
		t.Errorf("the log view is not the log (-log +view):\n%s", d)
	}
	p.whole(30, 2)
}

// whole: the transcript has each round and call of the only turn once, with its
// result, and the turn's answer.
func (p *page) whole(rounds, calls int) {
	p.t.Helper()
	type counts struct{ Turns, Rounds, Names, Calls, Done, Answers int }
	got := value[counts](p, `(() => {
		const all = (css) => [...document.querySelectorAll(css)];
		return { Turns: all(".turn").length, Rounds: all(".turn .round").length, Names: new Set(all(".turn .round").map((r) => r.ariaLabel)).size,
			Calls: all(".turn .call").length, Done: all('.turn .call[data-state="done"]').length, Answers: all(".turn .answer").length };
	})()`)
	if d := cmp.Diff(counts{1, rounds + 1, rounds + 1, rounds * calls, rounds * calls, 1}, got); d != "" {
		p.t.Errorf("the transcript is not the turn (-want +got):\n%s", d)
	}
}

// Who reads what stands further up is not moved by what comes, and gets back.
func TestWhatComesDoesNotMoveTheReader(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("reading")
	p.submit("stress", load(30, 2, 64, 100))
	// What comes in the same frame may take the page to its end once more.
	p.until(`document.querySelectorAll(".turn .round").length >= 8 && (document.querySelector("#scroll").scrollTop = 100, !document.querySelector("#latest").hidden)`)
	place := `Math.round(document.querySelector('.round[aria-label="Round 1"]').getBoundingClientRect().top)`
	before := value[int](p, place)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	p.round(31)
	if after := value[int](p, place); after != before {
		t.Errorf("the first round moved from %d to %d", before, after)
	}
	p.says("#latest", " new") // how much
	p.click("#latest")
	p.until(`document.querySelector("#latest").hidden && (({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.querySelector("#scroll"))`)
}

// A turn that another client submits is followed too, and one page shows what
// another one submits.
func TestWhatOthersSubmitIsFollowed(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("shared")
	p.submit("demo", readme)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	if _, err := s.Client().Submit(ctx, "shared", client.Submission{Prompt: load(3, 2, 9, 0), OperationID: "theirs", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	p.settled("theirs", "completed")
	if d := cmp.Diff(logged(ctx, t, s.Client(), "shared"), p.shown()); d != "" {
		t.Errorf("the log view is not the log (-log +view):\n%s", d)
	}
}
