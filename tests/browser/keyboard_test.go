package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"windlass/tests/embedded"
)

// ringed reports whether the focus can be seen: an outline or a ring around what
// has it, or around the box that it fills.
const ringed = `(() => {
	const rings = (e) => { const s = getComputedStyle(e); return (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none"; };
	const at = document.activeElement;
	return { On: at === document.body ? "" : at.tagName.toLowerCase() + (at.id && "#" + at.id) + " " + (at.ariaLabel ?? at.textContent.trim()).slice(0, 40), Seen: rings(at) && at.checkVisibility({ visibilityProperty: true, opacityProperty: true }) };
})()`

type focus struct {
	On   string
	Seen bool
}

func (p *page) focused(css string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.activeElement.matches(%s)`, quoted(css)))
	if f := value[focus](p, ringed); !f.Seen {
		p.t.Errorf("the focus on %s cannot be seen", f.On)
	}
}

// From the key to a file and an event, without a mouse.
func TestEverythingIsReachedByKeyboard(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.do(chromedp.Navigate(s.Endpoints.API + "/"))
	p.focused("#gate-key")
	p.keys(embedded.Key + kb.Enter)
	p.until(`!document.querySelector("#console").hidden`)

	p.keys("n")
	p.focused("#new-session-name")
	p.keys("keyboard" + kb.Enter)
	p.focused("#prompt")
	p.keys(readme)
	p.keys(kb.Enter, chromedp.ModifierCtrl)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)

	p.keys(kb.Escape)
	p.until(`document.activeElement === document.body`)
	p.until(`document.querySelector("#panel-files").textContent.includes("result.txt")`)
	p.keys("f")
	p.focused(".tree-line")
	p.keys(kb.ArrowDown)
	p.focused(`[data-path="/codex/result.txt"]`)
	p.keys(kb.Enter)
	p.until(`document.querySelector(".preview-body pre")?.textContent.includes("README")`)

	p.keys("/")
	p.focused(`.filters input[type="search"]`)
	p.keys("tool.completed")
	p.until(`document.querySelectorAll(".log-line").length === 2`)
	p.keys(kb.Escape + "l")
	p.until(`document.activeElement.closest("#panel-log")`)
	p.do(chromedp.Focus(chromedp.CSS(".log-list")))
	p.keys(kb.Home)
	p.until(`document.querySelector('.log-line[aria-selected="true"]')`)
	p.until(`document.querySelector(".log-detail pre").textContent.includes("tool.completed")`)
	p.keys(kb.Escape)
	p.until(`document.querySelector(".log-detail").hidden`)

	p.keys(kb.Escape + "?")
	p.until(`document.querySelector("#shortcuts").open`)
	if list := p.text("#shortcuts"); !strings.Contains(list, "find in the log") {
		t.Errorf("the shortcuts are %q", list)
	}
	p.keys(kb.Escape)
	p.until(`!document.querySelector("#shortcuts").open`)
}

// Tab goes through the whole page and around it, never stuck, and the focus is seen
// at each stop.
func TestTheFocusIsSeenAtEveryStop(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	full(p, "focus")
	for _, view := range views[2:] {
		p.view(view)
		p.run(`document.activeElement.blur(); document.querySelector("#help").focus()`)
		stops := map[string]bool{}
		for range 80 {
			p.keys(kb.Tab)
			f := value[focus](p, ringed)
			if f.On == "" || strings.HasPrefix(f.On, "button#help") {
				break
			}
			stops[f.On] = true
			if !f.Seen {
				t.Errorf("%s: the focus on %s cannot be seen", view, f.On)
			}
		}
		for _, want := range []string{"textarea#prompt", "button#send", "button#tab-" + view, "button#forget"} {
			if !strings.Contains(fmt.Sprint(stops), want) {
				t.Errorf("%s: Tab does not reach %s; its stops are %v", view, want, stops)
			}
		}
	}
}
