package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"windlass/functions/harness"
	"windlass/tests/embedded"
)

// gate waits for the form that asks for a key, and gives what it says.
func (p *page) gate() string {
	p.t.Helper()
	p.until(`document.querySelector("#gate")?.hidden === false && document.querySelector("#console").hidden`)
	if kept := value[int](p, `[...Object.entries(sessionStorage)].filter(([name]) => name === "windlass.key").length`); kept != 0 {
		p.t.Error("a key that was given up is kept")
	}
	return p.text("#gate-reason")
}

func TestAWrongKeyIsAskedForAgainWithTheReason(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.expect("401 ")
	p.do(chromedp.Navigate(s.Endpoints.API + "/#key=wl_wrong_0123456789abcdef"))
	p.until(`document.querySelector("#gate-reason").textContent !== ""`)
	if reason := p.gate(); !strings.Contains(reason, "refused") {
		t.Errorf("the form says %q", reason)
	}
	p.fill("#gate-key", embedded.Key)
	p.click("#gate button")
	p.until(`!document.querySelector("#console").hidden`)
	p.session("after-all")
	p.submit("demo", "hello")
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	if !value[bool](p, `document.querySelector("#gate").hidden`) {
		t.Error("the form is still there")
	}
}

// lent opens the page with a key that is not the development key, of a tenant of its
// own.
func lent(t *testing.T, s *embedded.Stack) *page {
	t.Helper()
	ctx := embedded.Context(t)
	if err := harness.PutKey(ctx, s.AWS(ctx), s.Endpoints.Tables["LiveTable"], lentKey, "lent"); err != nil {
		t.Fatal(err)
	}
	p := open(t, s, desktop)
	p.expect("401 GET /_local$") // only the development key may restart the process
	p.do(chromedp.Navigate(s.Endpoints.API + "/#key=" + lentKey))
	p.until(`!document.querySelector("#console").hidden`)
	p.session("lent")
	return p
}

const lentKey = "wl_lent_0123456789abcdef"

// The key of any tenant opens the page, and what it cannot do there is not offered.
func TestAnyValidKeyOpensThePage(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := lent(t, s)
	p.submit("demo", "hello")
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	if value[bool](p, `!document.querySelector("#tab-verify").hidden`) {
		t.Error("a restart is offered to a key that may not restart")
	}
}

func TestAKeyThatIsRevokedInMidTurnClosesThePage(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	p := lent(t, s)
	p.expect("401 ", "failed ")
	p.submit("stress", load(100, 1, 9, 100))
	p.round(2)
	if err := harness.RevokeKey(ctx, s.AWS(ctx), s.Endpoints.Tables["LiveTable"], harness.KeyID(lentKey)); err != nil {
		t.Fatal(err)
	}
	p.submit("demo", "hello") // what the page says next finds out; else its next ping does
	if reason := p.gate(); !strings.Contains(reason, "refused") {
		t.Errorf("the form says %q", reason)
	}
	if shown := value[string](p, `document.querySelector("#turns").textContent`); shown != "" {
		t.Errorf("what the key let in is still on the page: %q", shown)
	}
}

func TestAForgottenKeyLeavesNothing(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("forgotten")
	p.submit("demo", "hello")
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	p.click("#forget")
	if reason := p.gate(); reason != "" {
		t.Errorf("the form says %q, want nothing: the user wanted it", reason)
	}
	if shown := value[string](p, `["turns", "sessions", "operations"].map((id) => document.getElementById(id).textContent).join("")`); shown != "" {
		t.Errorf("what the key let in is still on the page: %q", shown)
	}
	p.do(chromedp.Reload())
	p.gate()
}
