package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"windlass/tests/embedded"
)

// dot is a picture of 40 by 30 pixels.
func dot(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a model made is shown as it was made, by its bytes and not by its name.
func TestFilesOfPromptsAndAnswersAreShown(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.run(`(() => {
		const png = Uint8Array.from(atob(` + quoted(base64.StdEncoding.EncodeToString(dot(t))) + `), (c) => c.charCodeAt(0));
		blobs.dot = png;
		blobs.drawing = ` + quoted(drawing) + `;
		blobs.late = png;
		const ref = (sha256, bytes, type) => ({ ref: { sha256, bytes, type } });
		tell("model.completed", 1, { attempt: 1, stop: "end", model: "maker/one", usage: used, costUsd: "0.5", items: [
			{ kind: "opaque", native: "sealed" },
			{ kind: "file", file: { path: "/out/<b>1.png", type: "image/png", content: ref("dot", png.length, "image/png") } },
			{ kind: "file", file: { path: "/out/2.svg", type: "image/svg+xml", content: ref("drawing", blobs.drawing.length, "image/svg+xml") } },
			{ kind: "file", file: { name: "<b>3.png", type: "image/png", content: "no picture" } },
			{ kind: "file", file: { path: "/out/4.html", type: "text/html; charset=utf-8", content: ` + quoted(document) + ` } },
			{ kind: "file", file: { path: "/out/5.png", type: "image/png", content: ref("none", 9, "image/png") } },
			{ kind: "file", file: { path: "/out/6.png", type: "image/png", content: ref("late", 3_000_000, "image/png") } },
			{ kind: "text", text: "Six files." },
		] });
	})()`)
	p.until(`document.querySelectorAll(".file-card").length === 6`)
	cards := value[[]string](p, `[...document.querySelectorAll(".file-card .file-line")].map((c) => c.textContent.replaceAll("\u00a0", " "))`)
	for i, want := range []string{"/out/<b>1.png", "/out/2.svg", "<b>3.png", "/out/4.html", "/out/5.png", "/out/6.png"} {
		if !strings.HasPrefix(cards[i], want) || !strings.Contains(cards[i], " · ") {
			t.Errorf("card %d says %q, want %s, its type and size", i, cards[i], want)
		}
	}
	card := func(n int) string { return `document.querySelectorAll(".file-card")[` + string(rune('0'+n)) + `]` }
	p.run(card(0) + `.scrollIntoView()`) // the one behind it is near
	p.until(card(0) + `.querySelector("img").naturalWidth === 40 && ` + card(1) + `.querySelector("img").naturalHeight === 30`)
	if value[bool](p, `[...document.querySelectorAll(".file-card img")].some((i) => !i.src.startsWith("blob:"))`) {
		t.Error("a picture is not a blob: a drawing would be a document of this origin")
	}
	p.run(card(5) + `.scrollIntoView()`)
	p.until(card(2) + `.textContent.includes("Its bytes are no picture.")`)
	p.until(card(4) + `.textContent.includes("It could not be read: no such <b>blob")`)
	if value[bool](p, card(3)+`.querySelector("img, iframe, .file-picture") !== null || `+card(5)+`.querySelector("img") !== null`) {
		t.Error("a page is shown, or a large picture without being asked for")
	}
	p.run(card(5) + `.querySelector(".file-picture button").click()`)
	p.until(card(5) + `.querySelector("img").naturalWidth === 40`)
	p.run(card(0) + `.querySelector(".link").click()`)
	if opened := value[[]string](p, "opened"); !slices.Equal(opened, []string{"/out/<b>1.png"}) {
		t.Errorf("opened: %q", opened)
	}
	if answers := value[[]string](p, `[...document.querySelectorAll(".answer")].map((a) => a.textContent)`); len(answers) != 1 || !strings.Contains(answers[0], "Six files.") {
		t.Errorf("the answers are %q", answers)
	}
	if strings.Contains(p.text(".turn"), "sealed") {
		t.Error("opaque material is shown")
	}
	p.harmless("files")
	p.legible(desktop)
	p.look(phone)
	type found struct{ Sideways, Outside, Small []string }
	if got := value[found](p, narrow); len(got.Sideways)+len(got.Outside)+len(got.Small) > 0 {
		t.Errorf("scrolls sideways: %q\noutside: %q\nsmaller than 40 px: %q", got.Sideways, got.Outside, got.Small)
	}
}

// A summary, a repair, another model and what it cost are told where they happened.
func TestWhatAModelWentThroughIsTold(t *testing.T) {
	t.Parallel()
	p := listens(t, desktop)
	p.run(`(() => {
		tell("model.failed", 1, { attempt: 1, error: { code: "overloaded", message: "busy" }, fallback: true, retryAt: "2026-01-02T03:04:05.000000Z" });
		window.between = document.querySelector(".round").textContent;
		tell("model.started", 1, { attempt: 2, model: "maker/two", purpose: "compact" });
		window.asking = document.querySelector(".round-head").textContent;
		tell("model.failed", 1, { attempt: 2, error: { code: "timeout", message: "late" }, retryAt: "2026-01-02T03:04:05.000000Z" });
		tell("model.started", 1, { attempt: 3, model: "maker/two", purpose: "compact" });
		tell("transcript.compacted", 1, { items: 7, summary: "so <b>far", tokensBefore: 130000, tokensAfter: 41000, model: "maker/two", usage: used, costUsd: "0.1" });
		tell("transcript.repaired", 1, { items: 9, repairs: [{ kind: "file_named", item: 2 }, { kind: "file_named", item: 3 }, { kind: "<b>new", item: 4 }] });
		tell("model.started", 1, { attempt: 4, model: "maker/two" });
		tell("model.completed", 1, { attempt: 4, stop: "end", model: "maker/two", usage: { ...used, cachedTokens: 1000 }, costUsd: "0.2", cacheMiss: "compacted", items: [{ kind: "text", text: "done" }] });
	})()`)
	between := strings.ReplaceAll(value[string](p, "between"), "\u00a0", " ")
	if !strings.Contains(between, "Next, the agent’s next model is asked.") {
		t.Errorf("while nobody is asked, the round says %q", between)
	}
	if asking := value[string](p, "asking"); !strings.Contains(asking, "summarising…") {
		t.Errorf("while a summary is asked for, the round says %q", asking)
	}
	p.says(".round", "Attempt 1 failed: overloaded. busy", "Next, maker/two is asked.", "Attempt 2, of a summary, failed: timeout. late",
		"Summarised 7 items, 130k → 41k tokens", "maker/two · $0.10", "so <b>far",
		"a file named that the provider does not take, 2 times; <b>new")
	p.says(".round-head", "maker/two", "1,200 tokens in, 20 out · 1,000 cached · $0.20 · cache missed: the transcript was summarised · attempt 4")
	p.says(".turn-head .about", "2,400 tokens in, 40 out · $0.30")
	if value[bool](p, `document.querySelector(".round details").open`) {
		t.Error("the summary is not folded")
	}
	p.run(`document.querySelector(".round details").open = true`)
	p.legible(desktop)
	p.harmless("a summary")
	p.tell("operation.completed", 0, `{ output: "done", usage: { ...used, modelCalls: 4, costUsd: "unknown" } }`)
	p.says(".turn-head .about", "1,200 tokens in, 20 out · cost unknown")
}

// attach submits a prompt that comes with a file of the workspace.
func attach(ctx context.Context, t *testing.T, s *embedded.Stack, session string) {
	t.Helper()
	if _, _, err := s.Client().PutFile(ctx, session, "/in/dot.png", dot(t), http.Header{"Content-Type": {"image/png"}}); err != nil {
		t.Fatal(err)
	}
	body := map[string]any{"prompt": "hello", "operationId": "op", "agent": "demo", "input": []any{map[string]string{"type": "file", "path": "/in/dot.png"}}}
	if _, err := s.Client().Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations", body, nil); err != nil {
		t.Fatal(err)
	}
}

// Of a real session: a prompt's picture, the way to it in the files view, and what the
// operation, the session and each round have used.
func TestAPromptsPictureAndASessionsCostAreShown(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	attach(ctx, t, s, "attached")
	p := open(t, s, desktop)
	p.visit("attached")
	p.settled("op", "completed")
	p.until(`document.querySelector(".prompt .file-card img").naturalWidth === 40`)
	for _, css := range []string{"#spent", ".turn-head .about", ".round-head", `#operations [data-status="completed"]`} {
		p.until(`document.querySelector(` + quoted(css) + `).textContent.includes("free")`)
	}
	spent := p.text("#spent")
	p.submit("demo", "and once more")
	p.until(`document.querySelectorAll('.turn[data-status="completed"]').length === 2`)
	p.until(`document.querySelector("#spent").textContent !== "" && document.querySelector("#spent").innerText.replaceAll("\u00a0", " ") !== ` + quoted(spent))
	sum := p.text("#spent")
	p.do(chromedp.Reload())
	p.until(`document.querySelectorAll('.turn[data-status="completed"]').length === 2`)
	p.until(`document.querySelector("#spent").textContent !== ""`)
	if again := p.text("#spent"); again != sum {
		t.Errorf("the log's sum is %q, the API's %q", sum, again)
	}
	p.click(".prompt .file-card .link")
	p.until(`document.querySelector(".preview .name").textContent === "/in/dot.png"`)
	p.view("log")
	p.until(`document.querySelector(".log-list").textContent.includes("demo: 1 file, hello")`)
}
