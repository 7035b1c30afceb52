package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// A value that stands apart is loaded when somebody asks for it, and not before.
func TestALargeToolOutputIsLoadedOnDemand(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("large")
	p.submit("stress", load(1, 2, 40_000, 0))
	p.until(`document.querySelector('.turn[data-status="completed"]')`)
	p.run(`document.querySelectorAll(".call").forEach((call) => (call.open = true))`)
	p.until(`document.querySelectorAll(".call .reference button").length >= 2`)
	blobs := func() (n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, request := range p.requests {
			if strings.Contains(request, "/blobs/") {
				n++
			}
		}
		return n
	}
	if n := blobs(); n != 0 {
		t.Errorf("%d values were loaded before anyone asked", n)
	}
	p.says(`.call:last-of-type .reference button`, "Load 39 KiB")
	p.click(`.call:last-of-type .reference button`)
	p.until(`document.querySelector(".call:last-of-type .reference pre")?.textContent.includes('"content":"round 1 of the stress script. ')`)
	if n := value[int](p, `document.querySelector(".call:last-of-type .reference pre").textContent.length`); n < 40_000 {
		t.Errorf("%d characters are shown of 40,000", n)
	}
	if n := blobs(); n == 0 {
		t.Error("nothing was loaded")
	}
}

// put uploads content as a file; above a mebibyte there is no other way.
func put(ctx context.Context, t *testing.T, s *embedded.Stack, session, path, kind string, data []byte) {
	t.Helper()
	c := s.Client()
	id, err := c.Upload(ctx, session, path, data)
	if err == nil {
		_, err = c.Send(ctx, "PUT", client.FilePath(session, path)+"?upload="+id, map[string][]string{"Content-Type": {kind}}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A large file comes from the bucket's own address, under the page's policy.
func TestALargeFileIsPreviewedAndDownloaded(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	content := bytes.Repeat([]byte("a line of a large file, 32 bytes\n"), 2<<20/33)
	put(ctx, t, s, "files", "/large/file.txt", "text/plain", content)
	p := open(t, s, desktop)
	p.visit("files")
	p.view("files")
	p.click(`[data-path="/large/file.txt"]`)
	p.until(`document.querySelector(".preview-body pre")?.textContent.length === 65536`)
	p.says(".preview-body .note", "the first 64 KiB of 2.0 MiB")

	into := t.TempDir()
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: into, EventsEnabled: ptr(true), BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}); err != nil {
		t.Fatal(err)
	}
	wait, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	events := chromedp.BrowserEvents(wait, browser.DownloadProgress)
	p.click(".preview .bar button:not(.quiet)")
	for e, err := range events {
		if err != nil {
			t.Fatalf("the download did not end: %v", err)
		}
		if e.State == browser.DownloadProgressStateCompleted {
			break
		}
	}
	if saved, err := os.ReadFile(filepath.Join(into, "file.txt")); err != nil || !bytes.Equal(saved, content) {
		t.Errorf("%d bytes were saved of %d, %v", len(saved), len(content), err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestAPictureIsPreviewed(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	drawn := image.NewGray(image.Rect(0, 0, 1200, 900))
	for i := range drawn.Pix {
		drawn.Pix[i] = byte(i * i >> 7) // noise, so that it is too large to be inline
	}
	drawn.SetGray(0, 0, color.Gray{Y: 255})
	var small, large bytes.Buffer
	if png.Encode(&large, drawn) != nil || png.Encode(&small, drawn.SubImage(image.Rect(0, 0, 20, 10))) != nil {
		t.Fatal("a picture cannot be encoded")
	}
	put(ctx, t, s, "pictures", "/large.png", "image/png", large.Bytes())
	put(ctx, t, s, "pictures", "/small.png", "image/png", small.Bytes())
	p := open(t, s, desktop)
	p.visit("pictures")
	p.view("files")
	for path, want := range map[string][]int{"/large.png": {1200, 900}, "/small.png": {20, 10}} {
		p.click(fmt.Sprintf(`[data-path=%q]`, path))
		p.until(fmt.Sprintf(`document.querySelector(".preview-body img")?.alt.includes(%q) && document.querySelector(".preview-body img").naturalWidth > 0`, path))
		if size := value[[]int](p, `(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector(".preview-body img"))`); !slices.Equal(size, want) {
			t.Errorf("%s is shown with %v pixels, want %v", path, size, want)
		}
	}
}
