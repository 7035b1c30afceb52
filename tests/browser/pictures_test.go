package browser

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

var update = flag.Bool("update", false, "draw the pictures in infra/pictures anew")

const (
	pictures = "../../infra/pictures"
	heaviest = 250 << 10 // bytes of one picture
)

// The pictures that README shows are of the real page. They are drawn anew on
// demand; that they are there, and light, is checked always.
func TestPicturesOfTheConsole(t *testing.T) {
	if *update {
		drawPictures(t)
	}
	for _, name := range []string{"console-light.png", "console-dark.png", "console-phone.png", "console-verify.png", "console-approval.png"} {
		f, err := os.Open(filepath.Join(pictures, name))
		if err != nil {
			t.Errorf("%v; draw it: go test ./tests/browser -run Pictures -update", err)
			continue
		}
		defer f.Close()
		about, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if c, err := png.DecodeConfig(f); err != nil || about.Size() > heaviest || c.Width < 700 {
			t.Errorf("%s: %d by %d pixels, %d bytes of at most %d, %v", name, c.Width, c.Height, about.Size(), heaviest, err)
		}
	}
}

func drawPictures(t *testing.T) {
	ctx, s := embedded.Context(t), fixed(t)
	c := s.Client()
	for _, o := range []struct{ session, id, agent, prompt string }{
		{"release-notes", "draft", "demo", "write release notes for version 0.4 to /notes/0.4.md and read it back"},
		{"load-test", "warm-up", "stress", load(4, 2, 300, 40)},
		{"demo", "notes", "demo", "write a note on what a windlass is to /notes/windlass.md"},
		{"demo", "load", "stress", load(6, 3, 220, 35)},
	} {
		if _, err := c.Submit(ctx, o.session, client.Submission{Prompt: o.prompt, OperationID: o.id, Agent: o.agent}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Wait(ctx, o.session, o.id); err != nil {
			t.Fatal(err)
		}
	}
	wide := screen{width: 1280, height: 840, scale: 1.5}
	p := open(t, s, wide)
	p.expect(gone...)
	p.visit("demo")
	p.settled("load", "completed")
	p.view("timeline")
	p.name("readme")
	p.submit("demo", readme)
	p.settled("readme", "completed")
	p.run(`document.querySelector("details.more").open = false; document.activeElement.blur()`)
	p.keys("ce") // calls folded, and the turn's end
	p.draw("console-light.png")
	wide.dark = true
	p.look(wide)
	p.keys("j")
	p.until(`document.querySelector("#panel-timeline").textContent.includes("load ·")`)
	p.draw("console-dark.png")
	wide.dark = false
	p.look(wide)
	p.session("verified")
	p.view("verify")
	p.verify()
	p.run(`document.querySelector(".marker-takeover").scrollIntoView({ block: "center" })`)
	p.draw("console-verify.png")

	p.session("release-notes")
	p.name("write")
	p.submit("careful", "write release notes for version 0.5 to /notes/0.5.md and read it back")
	p.until(`document.querySelector(".approval .proof")?.textContent.includes("checked")`)
	p.view("timeline")
	p.run(`document.querySelector("details.more").open = false`)
	p.keys("\x1be")
	p.draw("console-approval.png")

	small := open(t, s, screen{width: 390, height: 844, scale: 2, touch: true})
	small.visit("demo")
	small.view("transcript")
	small.settled("readme", "completed")
	small.keys("ce")
	small.draw("console-phone.png")
}

// draw takes a picture of the window, with neither focus nor mouse on anything.
func (p *page) draw(name string) {
	p.t.Helper()
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
	p.run(`(async () => { document.activeElement.blur(); await document.fonts.ready; await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); })()`)
	raw, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, paletted(full)); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictures, name), b.Bytes(), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// paletted keeps a picture's 256 commonest colours, each pixel the nearest of them:
// a page has few, and the rest are the edges of letters.
func paletted(full image.Image) *image.Paletted {
	bounds := full.Bounds()
	rgba := image.NewRGBA(bounds)
	draw.Draw(rgba, bounds, full, bounds.Min, draw.Src)
	out := image.NewPaletted(bounds, commonest(rgba, 256))
	nearest := map[color.RGBA]uint8{}
	for i := range out.Pix {
		c := color.RGBA{rgba.Pix[4*i], rgba.Pix[4*i+1], rgba.Pix[4*i+2], 255}
		at, known := nearest[c]
		if !known {
			at = uint8(out.Palette.Index(c))
			nearest[c] = at
		}
		out.Pix[i] = at
	}
	return out
}
