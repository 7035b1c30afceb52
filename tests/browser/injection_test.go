package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"windlass/tests/embedded"
)

// Texts that would do something if they were taken for markup, code or a link.
var (
	beacon   = `<img/src=x/onerror=window.injected=1>`
	script   = `<script>window.injected=1</script>`
	sneaky   = `javascript:window.injected=1`
	frame    = `<iframe/srcdoc="<script>parent.injected=1</script>">`
	drawing  = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="30" onload="window.injected=1"><script>window.injected=1;top.injected=1</script><image xlink:href="http://127.0.0.1:1/beacon.png" width="9" height="9"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="http://127.0.0.1:1/beacon"/></body></foreignObject><rect width="40" height="30" fill="teal"/></svg>`
	document = `<!doctype html><title>x</title>` + beacon + script + frame + `<a href="` + sneaky + `">a</a>`
)

// standing counts elements that only markup in a text could have made.
const standing = `document.querySelectorAll('img[src="x"], iframe, object, embed, script:not([src="/console/app.js"]), [onerror], [onload], a[href^="javascript"], #console style, b').length`

func (p *page) harmless(where string) {
	p.t.Helper()
	if n := value[int](p, standing); n != 0 || value[bool](p, `"injected" in window`) {
		p.t.Errorf("%s: %d elements were made of text, injected: %t", where, n, value[bool](p, `"injected" in window`))
	}
}

func TestPromptsToolsAndAnswersStayText(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("markup")
	for i, text := range []string{beacon, script, sneaky, frame, document} {
		p.name(fmt.Sprint("op-", i))
		// The demo writes the text into a file, reads it back, and says it again.
		p.submit("demo", "write "+text+" to /<b>"+fmt.Sprint(i)+".txt and read it back")
		p.settled(fmt.Sprint("op-", i), "completed")
		turn := value[string](p, fmt.Sprintf(`document.querySelector('[aria-label="Operation op-%d"]').textContent`, i))
		// The prompt, the write's arguments, the read's result, and the answer.
		if n := strings.Count(turn, text); n < 4 {
			t.Errorf("%q stands in the transcript %d times, want 4 at least:\n%s", text, n, turn)
		}
		p.run(`document.querySelectorAll("details").forEach((d) => (d.open = true))`)
		p.harmless(text)
	}
	for _, view := range views[2:5] {
		p.view(view)
		p.run(`document.querySelectorAll("details").forEach((d) => (d.open = true))`)
		p.harmless(view)
	}
	p.click(".log-list") // the line in its middle
	p.harmless("an event")
	p.fill(`.filters input[type="search"]`, beacon)
	p.until(`document.querySelector(".filters .about").textContent.includes(" of ")`)
	p.harmless("the filter")
}

func TestErrorsStayText(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("errors")
	p.submit("stress", `{"`+beacon+`":1}`)
	p.until(`document.querySelector('.turn[data-status="failed"]')`)
	p.says(".turn .problem", beacon) // what is wrong is quoted
	p.harmless("a failed turn")
}

// A session's name comes from the URL: anyone can make such a link.
func TestALinkToASessionWithMarkupInItsNameIsText(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.expect("(404|422|400) GET /v1/sessions/")
	p.visit("plain")
	for _, name := range []string{beacon, script, sneaky, "../../v1", "%2e%2e", `"><b>`} {
		p.run(fmt.Sprintf(`location.hash = "#/sessions/" + encodeURIComponent(%s)`, quoted(name)))
		p.until(fmt.Sprintf(`document.querySelector("#title").textContent === %s`, quoted(name)))
		p.until(`!document.querySelector("#turns").textContent.includes("Reading…") || document.querySelector("#announce").textContent.includes("could not be followed")`)
		p.harmless(name)
	}
}

func TestFilesOfAllKindsStayData(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	files := []struct{ path, kind, content string }{
		{"/" + strings.ReplaceAll(beacon, "/", " ") + ".txt", "text/plain", script},
		{"/" + script[:8] + ".html", "text/html", document},
		{"/" + sneaky, "text/html; charset=utf-8", document},
		{`/a"b'c&amp;d/` + "`e`.js", "text/javascript", "window.injected=1"},
		{"/page.xhtml", "application/xhtml+xml", document},
	}
	for _, f := range files {
		if _, _, err := s.Client().PutFile(ctx, "files", f.path, []byte(f.content), http.Header{"Content-Type": {f.kind}}); err != nil {
			t.Fatalf("%s: %v", f.path, err)
		}
	}
	p := open(t, s, desktop)
	p.visit("files")
	p.view("files")
	for _, f := range files {
		line := fmt.Sprintf(`[...document.querySelectorAll('.tree-line')].find((l) => l.dataset.path === %s)`, quoted(f.path))
		p.until(line)
		p.run(line + `.click()`)
		p.until(fmt.Sprintf(`document.querySelector(".preview-body pre")?.textContent === %s`, quoted(f.content)))
		p.until(fmt.Sprintf(`document.querySelector(".preview .name").textContent === %s`, quoted(f.path)))
		p.harmless(f.path)
	}
}

func TestADrawingWithAScriptIsAPictureOnly(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	if _, _, err := s.Client().PutFile(ctx, "svg", "/drawing.svg", []byte(drawing), http.Header{"Content-Type": {"image/svg+xml"}}); err != nil {
		t.Fatal(err)
	}
	p := open(t, s, desktop)
	p.visit("svg")
	p.view("files")
	p.click(`[data-path="/drawing.svg"]`)
	p.until(`document.querySelector(".preview-body img")?.naturalWidth > 0`)
	if size := value[[]int](p, `(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector(".preview-body img"))`); !slices.Equal(size, []int{40, 30}) {
		t.Errorf("the drawing is shown with %v pixels, want 40 by 30", size)
	}
	if value[bool](p, `!document.querySelector(".preview-body img").src.startsWith("blob:")`) {
		t.Error("the drawing is not a blob: it would be a document of this origin")
	}
	p.harmless("the drawing")
}
