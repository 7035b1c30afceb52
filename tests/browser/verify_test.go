package browser

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/embedded"
)

func TestRestartAndVerifyShowsThatNothingIsLost(t *testing.T) {
	t.Parallel()
	s := fixed(t)
	p := open(t, s, desktop)
	p.expect(gone...)
	p.visit("verified")
	p.until(`!document.querySelector("#tab-verify").hidden`)
	p.view("verify")
	p.verify()
	type check struct {
		Name string
		OK   bool
	}
	want := []check{
		{"The process was replaced", true}, {"Seqs are dense from 1", true}, {"What was delivered is what the log holds", true},
		{"Every call has exactly one result", true}, {"The turn ended once", true}, {"The takeover stands in the log", true},
	}
	got := value[[]check](p, `[...document.querySelectorAll(".checks li")].map((li) => ({ Name: li.querySelector(".check-name").textContent, OK: li.dataset.ok === "true" }))`)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the checks (-want +got):\n%s\n%s", d, p.text("#panel-verify"))
	}
	if verdict := p.text("#panel-verify .verdict"); verdict != "All 6 checks hold" {
		t.Errorf("the verdict is %q", verdict)
	}
	if cells := value[map[string]int](p, `[...document.querySelectorAll(".cells li")].reduce((n, li) => ({ ...n, [li.dataset.when]: (n[li.dataset.when] ?? 0) + 1 }), {})`); cells["before"] < 4 || cells["during"] != 1 || cells["after"] < 1 {
		t.Errorf("the rounds are drawn as %v", cells)
	}
}

// verify presses the button, and waits for the verdict.
func (p *page) verify() {
	p.t.Helper()
	p.click("#panel-verify button.primary")
	p.until(`document.querySelector("#panel-verify .verdict")`)
}

// Elsewhere there is no such route, so nothing offers it.
func TestVerifyIsOfferedOnThisLaneOnly(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.before(`(() => {
		const real = window.fetch;
		window.fetch = (to, init) => (new URL(to, location).pathname === "/_local" ? (window.looked = true, Promise.resolve(new Response("{}", { status: 404 }))) : real(to, init));
	})()`)
	p.visit("remote")
	p.until(`window.looked && document.querySelector("#sessions").children.length > 0`)
	if value[bool](p, `!document.querySelector("#tab-verify").hidden`) {
		t.Error("the page offers to restart a deployment that it cannot restart")
	}
}
