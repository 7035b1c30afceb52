package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"windlass/tests/embedded"
)

func TestAReloadInMidTurnLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("reload")
	p.submit("stress", load(30, 2, 64, 60))
	for _, round := range []int{4, 12} {
		p.round(round)
		p.run(`window.before = true`)
		p.do(chromedp.Reload())
		p.until(`!window.before && document.querySelector("#title")?.textContent === "reload"`)
		p.until(`document.querySelector('.turn[data-status="running"], .turn[data-status="completed"]')`)
	}
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	if d := cmp.Diff(logged(ctx, t, s.Client(), "reload"), p.shown()); d != "" {
		t.Errorf("the log view is not the log (-log +view):\n%s", d)
	}
	p.whole(30, 2)
}

// The key is in this tab's storage, and nowhere else.
func TestTheKeyStaysInItsTab(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("kept")
	p.do(chromedp.Reload())
	p.until(`document.querySelector("#title")?.textContent === "kept"`)
	if key := value[string](p, `sessionStorage.getItem("windlass.key")`); key != embedded.Key {
		t.Errorf("sessionStorage holds %q", key)
	}
	if kept := value[string](p, `JSON.stringify({ ...localStorage }) + document.cookie`); kept != "{}" {
		t.Errorf("localStorage and cookies hold %s, want nothing", kept)
	}
	if bases := value[int](p, `(async () => (await indexedDB.databases()).length + (await caches.keys()).length)()`); bases != 0 {
		t.Errorf("%d databases and caches, want none", bases)
	}
	history, err := chromedp.Run(p.ctx, chromedp.NavigationEntries())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range history.Entries {
		// What a user typed (UserTypedURL) is the browser's own, and no page's.
		if strings.Contains(entry.URL+entry.Title, embedded.Key) {
			t.Errorf("the key is in the history: %+v", entry)
		}
	}
	if page := value[string](p, `document.documentElement.outerHTML + [...document.querySelectorAll("input")].map((i) => i.value)`); strings.Contains(page, embedded.Key) {
		t.Error("the key stands in the page")
	}
}
