package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"windlass/tests/embedded"
)

// patience bounds one wait. It is long because the machine may be busy; a test
// that needs it has failed.
const patience = 55 * time.Second

// page is one tab in a browser context of its own, and what it was seen to do.
type page struct {
	t   *testing.T
	s   *embedded.Stack
	ctx context.Context
	*watch
}

type screen struct {
	width, height int64
	scale         float64
	touch, dark   bool
}

var (
	desktop = screen{width: 1280, height: 800, scale: 1}
	phone   = screen{width: 360, height: 740, scale: 2, touch: true}
)

// open opens an empty tab; visit loads the console in it. The test fails at its end
// if the page did what no page may do.
func open(t *testing.T, s *embedded.Stack, look screen) *page {
	t.Helper()
	seen := &watch{}
	ctx, cancel := chromedp.NewContext(started(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(seen.event))
	p := &page{t, s, ctx, seen}
	t.Cleanup(cancel)
	t.Cleanup(p.judge)
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as this call's context
		t.Fatal(err)
	}
	p.look(look)
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		// Each tab believes that it is the one in use.
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}))
	p.before(probe)
	return p
}

// before runs a script in every document from now on, before the page's own.
func (p *page) before(script string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// probe stands in every document before its own scripts. It keeps how far the
// layout jumped without its user's doing.
const probe = `(() => {
	window.shifts = [];
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			e.hadRecentInput || shifts.push({ Value: e.value, Of: e.sources.map((s) => (s.node?.closest?.("[id],[class]") ?? s.node?.parentElement)?.outerHTML?.slice(0, 120) ?? "?") });
		}
	}).observe({ type: "layout-shift", buffered: true });
})()`

// look sets the window's size and the preferences of its user.
func (p *page) look(l screen) {
	p.t.Helper()
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(l.scale)}
	if l.touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	scheme := map[bool]string{false: "light", true: "dark"}[l.dark]
	p.do(chromedp.EmulateViewport(l.width, l.height, options...), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	}))
}

// visit opens a session with the development key, as the banner's link does, and
// waits until the page follows it.
func (p *page) visit(session string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.s.Endpoints.API + "/#key=" + embedded.Key))
	p.until(`!document.querySelector("#console").hidden`)
	p.session(session)
}

// session opens a session through its link, as a row of the list does.
func (p *page) session(name string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`location.hash = "#/sessions/" + encodeURIComponent(%s)`, quoted(name)))
	p.until(fmt.Sprintf(`document.querySelector("#title").textContent === %s`, quoted(name)))
	p.until(`!document.querySelector("#turns").textContent.includes("Reading…")`)
}

// do runs steps, each of which has to succeed.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.fail("%v", err)
	}
}

// click presses an element with the mouse, where it is seen. One that is drawn anew
// meanwhile is looked up again.
func (p *page) click(css string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(css)))
		if err == nil {
			return
		}
		if ctx.Err() != nil || !strings.Contains(err.Error(), "Could not find node") {
			p.fail("click %s: %v", css, err)
		}
	}
}

// keys presses keys, wherever the focus is. A key and its character are one event,
// as from a keyboard: who takes the key keeps the character away.
func (p *page) keys(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		down := *events[0]
		for _, e := range events {
			if e.Type == kb.KeyChar && len(modifiers) == 0 {
				down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, e.Text, e.UnmodifiedText
			}
		}
		for _, m := range modifiers {
			down.Modifiers |= int64(m)
		}
		up := *events[len(events)-1]
		p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchKeyEvent, down)
			if err == nil {
				_, err = chromedp.Call(ctx, input.DispatchKeyEvent, up)
			}
			return err
		}))
	}
}

// until waits until an expression is true in the page. It outlives a reload.
func (p *page) until(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	look := `new Promise((done) => {
		const look = () => {
			let holds = false;
			try { holds = Boolean(` + expression + `); } catch (e) { if (e instanceof SyntaxError) throw e; }
			holds ? done(true) : setTimeout(look, 15);
		};
		look();
	})`
	for {
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise)); ok {
			return
		} else if ctx.Err() != nil {
			p.fail("it never came true: %s (%v)", expression, err)
		}
	}
}

// run evaluates an expression, and waits if it is a promise.
func (p *page) run(expression string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](expression, chromedp.EvalAwaitPromise))
}

// value is what an expression comes to in the page.
func value[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.fail("%s: %v", expression, err)
	}
	return v
}

// text is an element's text, as it is read, with plain spaces.
func (p *page) text(css string) string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf(`document.querySelector(%s)?.innerText.replaceAll("\u00a0", " ") ?? ""`, quoted(css)))
}

// fail ends the test with what the page shows. -artifacts keeps a picture of it.
func (p *page) fail(format string, args ...any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	shown, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 3000)`))
	if png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot()); err == nil {
		_ = os.WriteFile(filepath.Join(p.t.ArtifactDir(), "page.png"), png, 0o600)
	}
	p.t.Fatalf(format+"\nthe page shows:\n%s", append(args, strings.TrimSpace(shown))...)
}

// quoted is a text as JavaScript writes it.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(b)
}
