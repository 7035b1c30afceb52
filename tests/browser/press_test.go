package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"windlass/tests/embedded"
)

// A list that events come into is drawn anew at any moment, also while a button is
// down on it.
func TestAPressOnALineOutlastsADrawingOfTheList(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	full(p, "press")
	p.view("log")
	type place struct{ X, Y float64 }
	at := value[place](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
		window.pressed = [...document.querySelectorAll(".log-line")].at(-3);
		const { x, y, width, height } = pressed.getBoundingClientRect();
		done({ X: x + width / 2, Y: y + height / 2 });
	})))`)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at.X, at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	p.run(`new Promise((done) => {
		document.querySelector(".log-list").dispatchEvent(new Event("scroll")); // it is drawn in the next frame
		requestAnimationFrame(() => requestAnimationFrame(done));
	})`)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at.X, at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	p.until(`document.querySelector(".log-detail h3").textContent.startsWith("seq " + pressed.dataset.seq + " ")`)
}
