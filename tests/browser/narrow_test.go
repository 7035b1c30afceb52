package browser

import (
	"fmt"
	"testing"

	"windlass/tests/embedded"
)

// narrow finds what does not fit a narrow window or a finger. What scrolls sideways
// by design, such as a preformatted text, does so inside its own box.
const narrow = `(() => {
	const name = (e) => e.outerHTML.slice(0, 140);
	const seen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getClientRects().length > 0;
	const all = [...document.querySelectorAll("body *")].filter(seen);
	const own = (e) => e.closest("pre, .text") !== null;
	const sideways = [document.documentElement, document.body, ...all.filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowX) && !own(e))].filter((e) => e.scrollWidth > e.clientWidth + 1);
	const clipped = (e) => { for (let at = e.parentElement; at; at = at.parentElement) { if (getComputedStyle(at).overflowX !== "visible") return true; } return false; };
	const outside = all.filter((e) => !own(e) && (e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1) && !clipped(e));
	const hit = (e) => (e.matches("input[type=checkbox]") ? e.closest("label") ?? e : e).getBoundingClientRect();
	const targets = all.filter((e) => e.matches("button, a[href], input, select, textarea, summary, [role=tab], [role=treeitem], .log-line") && !e.disabled && !e.matches(".skip"));
	const small = targets.filter((e) => { const r = hit(e); return r.width < 40 || r.height < 40; }).map((e) => Math.round(hit(e).width) + "×" + Math.round(hit(e).height) + " " + name(e));
	return { Sideways: sideways.map(name), Outside: outside.map(name), Small: small, Targets: targets.length };
})()`

// faint finds text that does not stand out from what is behind it: a contrast below
// 4.5, or 3 for large text (WCAG 2.2, 1.4.3).
const faint = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const rgba = (css) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
	const over = (a, b) => a.slice(0, 3).map((c, i) => (c * a[3] + b[i] * (255 - a[3])) / 255);
	const light = (c) => c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => { const layers = []; for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor)); return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]); };
	const worded = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
	return [...document.querySelectorAll("body *")].filter((e) => worded(e) && e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest(":disabled, .hidden, .skip")).flatMap((e) => {
		const style = getComputedStyle(e), back = behind(e), svg = e instanceof SVGElement;
		const [a, b] = [light(over(rgba(svg ? style.fill : style.color), back)), light(back)];
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
		return contrast < (large ? 3 : 4.5) ? [contrast.toFixed(2) + " " + e.outerHTML.slice(0, 140)] : [];
	});
})()`

var views = []string{"sessions", "transcript", "timeline", "files", "log", "verify"}

// full makes a session with something in every view.
func full(p *page, session string) {
	p.t.Helper()
	p.visit(session)
	p.run(`document.querySelector("#tab-transcript").click()`)
	p.submit("demo", readme)
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	p.submit("stress", load(3, 3, 64, 0))
	p.until(`document.querySelectorAll('.turn[data-status="completed"]').length === 2`)
	p.submit("stress", "not a load")
	p.until(`document.querySelector('.turn[data-status="failed"]')`)
	p.until(`!document.querySelector("#tab-verify").hidden`)
}

func TestEveryViewFitsANarrowScreenAndAFinger(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, phone)
	full(p, "narrow-screen-with-a-rather-long-name-that-does-not-fit")
	for _, view := range views {
		p.view(view)
		p.until(fmt.Sprintf(`document.querySelector("#panel-%s").checkVisibility()`, view))
		p.deepen(view)
		type found struct {
			Sideways, Outside, Small []string
			Targets                  int
		}
		got := value[found](p, narrow)
		if len(got.Sideways)+len(got.Outside)+len(got.Small) > 0 || got.Targets < 5 {
			t.Errorf("%s: scrolls sideways: %q\noutside: %q\nsmaller than 40 px: %q\n%d targets", view, got.Sideways, got.Outside, got.Small, got.Targets)
		}
	}
}

// deepen opens what a view has to open.
func (p *page) deepen(view string) {
	p.t.Helper()
	switch view {
	case "transcript":
		p.run(`document.querySelectorAll("details").forEach((d) => (d.open = true))`)
	case "files":
		p.click(`[data-path="/codex/result.txt"]`)
		p.until(`document.querySelector(".preview-body pre")`)
	case "log":
		if value[bool](p, `document.querySelector(".log-detail").hidden`) { // a second click closes it
			p.click(`.log-list`) // the line in its middle
		}
		p.until(`!document.querySelector(".log-detail").hidden`)
	}
}

func TestTextStandsOutInLightAndInDark(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	full(p, "contrast")
	pages := map[string]bool{}
	for _, dark := range []bool{false, true} {
		l := desktop
		l.dark = dark
		p.look(l)
		pages[value[string](p, `getComputedStyle(document.body).backgroundColor`)] = true
		for _, view := range views[2:] {
			p.view(view)
			p.deepen(view)
			if found := value[[]string](p, faint); len(found) > 0 {
				t.Errorf("dark %t, %s: %d texts are faint: %q", dark, view, len(found), found[:min(6, len(found))])
			}
		}
	}
	if len(pages) != 2 {
		t.Errorf("light and dark have one page: %v", pages)
	}
}

// A finder that finds nothing guards nothing.
func TestTheFindersFind(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, phone)
	p.visit("planted")
	p.run(`(() => {
		const turns = document.querySelector("#turns");
		const plant = (tag, text, style) => { const e = document.createElement(tag); e.textContent = text; e.className = "planted"; Object.assign(e.style, style); turns.prepend(e); };
		plant("button", "small", { width: "39px", height: "60px", minWidth: "0" });
		plant("p", "faint", { color: "#888", background: "#999", opacity: "1" });
		plant("div", "wide", { width: "700px", height: "4px", overflow: "auto" });
	})()`)
	type found struct{ Sideways, Small []string }
	got := value[found](p, narrow)
	if len(got.Sideways) != 1 || len(got.Small) != 1 {
		t.Errorf("planted: a wide element and a small button; found %+v", got)
	}
	if texts := value[[]string](p, faint); len(texts) != 1 {
		t.Errorf("planted: a faint text; found %q", texts)
	}
	// A shift soon after the window's size was set counts as wanted: one comes until
	// one counts.
	p.run(`window.planted = document.querySelector(".planted")`)
	p.until(`(planted.style.height = planted.style.height === "4px" ? "200px" : "4px", shifts.reduce((sum, s) => sum + s.Value, 0) > 0.02)`)
}
