package browser

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/checker"
	"windlass/tests/embedded"
)

// fixed starts a stack whose port stays when it is restarted, as it does for
// whoever has the page open.
func fixed(t *testing.T) *embedded.Stack {
	t.Helper()
	addresses := free(t, 2)
	return embedded.Start(t, "WINDLASS_ADDR="+addresses[0], "WINDLASS_AWS_ADDR="+addresses[1])
}

// free gives addresses that nobody listens on, and that nobody is given who asks for
// any port: they are below those that the system hands out. So the stack finds its
// own again.
func free(t *testing.T, n int) (all []string) {
	t.Helper()
	for len(all) < n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 15_000+rand.N(15_000)))
		if err != nil {
			continue // taken
		}
		defer l.Close() // after the last: no address is given twice
		all = append(all, l.Addr().String())
	}
	return all
}

// gone is what a page may meet while there is no server.
var gone = []string{"failed [A-Z]+ /", "50[0-9] "}

// spoken keeps what the connection's place says, word by word.
const spoken = `(() => {
	window.spoken = [];
	const look = () => {
		const word = document.querySelector("#connection .word").textContent.split(" ")[0];
		spoken.at(-1) !== word && spoken.push(word);
	};
	look();
	new MutationObserver(look).observe(document.querySelector("#connection"), { childList: true, subtree: true, characterData: true });
})()`

func TestAKilledServerIsSeenAndComesBackByItself(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), fixed(t)
	p := open(t, s, desktop)
	p.expect(gone...)
	p.visit("restart")
	p.submit("stress", load(30, 2, 64, 250)) // it is under way for as long as a slow machine takes to kill
	p.until(`document.querySelector("#connection").dataset.state === "open"`)
	p.run(spoken)
	p.round(5)
	s.Kill()
	p.until(`document.querySelector("#connection").dataset.state === "waiting" && document.querySelector("#connection").textContent.includes("Waiting")`)
	s.Restart()
	p.until(`document.querySelector("#connection").dataset.state === "open"`)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	if words := strings.Join(value[[]string](p, "spoken"), " "); !strings.HasPrefix(words, "Open Waiting Connecting") || !strings.HasSuffix(words, "Connecting Open") {
		t.Errorf("the connection said %s", words)
	}
	if d := cmp.Diff(logged(ctx, t, s.Client(), "restart"), p.shown()); d != "" {
		t.Errorf("the log view is not the log (-log +view):\n%s", d)
	}
	p.whole(30, 2)
	events, err := s.Client().Events(ctx, "restart", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range checker.Check(events).Violations {
		t.Error(violation)
	}
	if marks := value[int](p, `document.querySelectorAll(".turn .marker-takeover").length`); marks == 0 {
		t.Error("the takeover is not marked in the transcript")
	}
}

// A prompt that is submitted while there is no server is sent until it is stored,
// once.
func TestASubmitWithoutAServerIsStoredOnceItIsBack(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), fixed(t)
	p := open(t, s, desktop)
	p.expect(gone...)
	p.visit("patient")
	s.Kill()
	p.submit("demo", readme)
	p.until(`document.querySelector("#receipt").textContent.includes("Sending…")`)
	s.Restart()
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	all, err := s.Client().Operations(ctx, "patient", 50)
	if err != nil || len(all) != 1 || all[0].Prompt != readme {
		t.Errorf("%s, %v; want the one operation", fmt.Sprint(all), err)
	}
}
