package browser

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"windlass/tests/client"
)

// submit chooses an agent, types a prompt, and presses the button.
func (p *page) submit(agent, prompt string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`document.querySelector("#agent").value = %s`, quoted(agent)))
	p.fill("#prompt", prompt)
	p.click("#send")
}

// name gives the next operation an id.
func (p *page) name(operation string) {
	p.t.Helper()
	if !value[bool](p, `document.querySelector("details.more").open`) {
		p.click("details.more summary")
	}
	p.fill("#operation-id", operation)
}

// fill puts a text into a field as typing does, in one go.
func (p *page) fill(css, text string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`(() => { const field = document.querySelector(%s); field.focus(); field.select(); })()`, quoted(css)))
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// view opens a view by its tab.
func (p *page) view(name string) {
	p.t.Helper()
	p.click("#tab-" + name)
	p.until(fmt.Sprintf(`document.querySelector("#console").dataset.view === %s`, quoted(name)))
}

// round waits until a turn is at least in this round.
func (p *page) round(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelectorAll(".turn .round").length >= %d`, n))
}

// settled waits until the page shows an operation's end.
func (p *page) settled(operation, status string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`[...document.querySelectorAll(".turn")].some((turn) => turn.getAttribute("aria-label") === "Operation " + %s && turn.dataset.status === %s)`, quoted(operation), quoted(status)))
}

// line is one line of the log view.
type line struct {
	Seq  uint64
	Type string
}

// lines reads the log view from its first line to its last, as a person would, by
// turning its pages. Every place of it is read once.
const lines = `(async () => {
	const list = document.querySelector(".log-list");
	const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	const all = new Map();
	for (let top = 0; ; top += list.clientHeight) {
		list.scrollTop = top;
		await drawn();
		for (const line of list.querySelectorAll(".log-line")) {
			all.set(Number(line.getAttribute("aria-posinset")), { Seq: Number(line.dataset.seq), Type: line.querySelector(".log-type").textContent });
		}
		if (top + list.clientHeight >= list.scrollHeight) break;
	}
	return [...all.keys()].sort((a, b) => a - b).map((place) => all.get(place));
})()`

// shown is what the log view shows, after its tab was opened.
func (p *page) shown() []line {
	p.t.Helper()
	p.view("log")
	return value[[]line](p, lines)
}

// logged is what the log holds.
func logged(ctx context.Context, t *testing.T, c client.Client, session string) (all []line) {
	t.Helper()
	events, err := c.Events(ctx, session, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		all = append(all, line{e.Seq, e.Type})
	}
	return all
}
