package browser

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"windlass/tests/lane"
)

// chromium is the one browser: its tabs are children of ctx.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop context.CancelFunc
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(code)
}

// started gives the browser, and skips the test where there is none. It knows no
// other machine than this one, by name or by address.
func started(t *testing.T) context.Context {
	t.Helper()
	path := lane.Program(t, "browser")
	chromium.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("headless", "new"),
			chromedp.Flag("no-proxy-server", true),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("lang", "en-GB"),
		)
		allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocator)
		chromium.ctx, chromium.stop = ctx, func() { cancel(); end() }
		chromium.err = chromedp.Do(ctx)
	})
	if chromium.err != nil {
		t.Fatalf("%s does not start: %v", path, chromium.err)
	}
	return chromium.ctx
}
