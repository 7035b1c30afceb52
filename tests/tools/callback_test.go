package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// depot takes orders and ships them later: it answers 202, and keeps where to report.
type depot struct {
	*httptest.Server
	// told are the callback URLs, by what a request's path names.
	told chan [2]string
	// early has the report come before the answer.
	early func(url string)
}

func newDepot(t *testing.T) *depot {
	d := &depot{told: make(chan [2]string, 8)}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		url := r.Header.Get("X-Callback-Url")
		if d.early != nil {
			d.early(url)
		}
		d.told <- [2]string{r.URL.Path, url}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(d.Close)
	return d
}

// report posts what became of an order, and returns the status and whether it was new.
func report(ctx context.Context, t *testing.T, url, body string) (int, bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var a struct{ Accepted bool }
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, a.Accepted
}

func (d *depot) clerk() string {
	return fmt.Sprintf(`
tools:
  - name: http
    with:
      allow:
        - {host: 127.0.0.1, private: true, http: true, ports: [%s], methods: {PUT: idempotent, POST: once}, callback: {for: 1h}}
`, port(d.URL))
}

// ordering is a model that orders by both classes at once, and then says what it read.
func (d *depot) ordering(a asked) providers.Answer {
	if len(a.results) > 0 {
		return say(strings.Join(a.results, "; "))
	}
	return ask(
		call("a", "http_idempotent", map[string]any{"method": "PUT", "url": d.URL + "/" + a.prompt + "/put"}),
		call("b", "http_once", map[string]any{"method": "POST", "url": d.URL + "/" + a.prompt + "/post"}),
	)
}

// Calls that end later outlive the process twice; each report counts once, whoever is
// there, and the URL is all the key that it needs.
func TestAReportOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	ctx, d := embedded.Context(t), newDepot(t)
	s := embedded.Start(t, model(t, d.ordering), folder(t, map[string]string{"clerk": d.clerk()}))
	submit(ctx, t, s, "s", "clerk", "first")
	urls := map[string]string{}
	for range 2 {
		told := <-d.told
		urls[told[0]] = told[1]
	}
	base := s.Endpoints.API
	move := func(url string) string { // a process on a laptop comes back at another port; an API does not
		return s.Endpoints.API + strings.TrimPrefix(url, base)
	}
	s.Kill()
	s.Restart()
	if status, accepted := report(ctx, t, move(urls["/first/put"]), `{"output":{"shipment":"s-1"}}`); status != http.StatusOK || !accepted {
		t.Errorf("%d, %t", status, accepted)
	}
	if status, _ := report(ctx, t, move(urls["/first/put"])+"x", `{"output":1}`); status != http.StatusNotFound {
		t.Errorf("a URL that was changed: %d", status)
	}
	s.Kill()
	s.Restart()
	if status, accepted := report(ctx, t, move(urls["/first/put"]), `{"output":{"shipment":"s-1"}}`); status != http.StatusOK || accepted {
		t.Errorf("again: %d, %t", status, accepted)
	}
	if status, accepted := report(ctx, t, move(urls["/first/post"]), `{"error":{"code":"out_of_stock","message":"none are left"}}`); status != http.StatusOK || !accepted {
		t.Errorf("%d, %t", status, accepted)
	}
	o := settled(ctx, t, s, "s")
	if want := `{"shipment":"s-1"}; {"error":{"code":"out_of_stock","message":"none are left"}}`; *o.Output != want {
		t.Errorf("%s, want %s", *o.Output, want)
	}
	if status, _ := report(ctx, t, move(urls["/first/post"]), `{"output":1}`); status != http.StatusConflict {
		t.Errorf("another report, after the end: %d", status)
	}
	events := verified(ctx, t, s, "s")
	if n := count(events, "tool.answered"); n != 2 {
		t.Errorf("%d reports were taken", n)
	}
}

// A report that is faster than the answer of the request that asked for it.
func TestAReportThatComesFirst(t *testing.T) {
	t.Parallel()
	ctx, d := embedded.Context(t), newDepot(t)
	d.early = func(url string) {
		if status, accepted := report(ctx, t, url, `{"output":"there already"}`); status != http.StatusOK || !accepted {
			t.Errorf("%d, %t", status, accepted)
		}
	}
	s := embedded.Start(t, model(t, d.ordering), folder(t, map[string]string{"clerk": d.clerk()}))
	submit(ctx, t, s, "s", "clerk", "first")
	if o := settled(ctx, t, s, "s"); *o.Output != "there already; there already" {
		t.Errorf("%s", *o.Output)
	}
	if n := count(verified(ctx, t, s, "s"), "tool.answered"); n != 2 {
		t.Errorf("%d reports were taken", n)
	}
}
