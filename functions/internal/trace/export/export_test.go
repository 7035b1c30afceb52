package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/trace"
	"windlass/functions/internal/trace/export"
)

// secret stands in what no log may have.
const secret = "key-of-the-collector"

// collector answers requests, and notes them.
type collector struct {
	status int
	answer string
	err    error
	wait   time.Duration
	got    []*http.Request
	bodies []string
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.got, c.bodies = append(c.got, r), append(c.bodies, string(b))
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(c.wait):
	}
	if c.err != nil {
		return nil, c.err
	}
	return &http.Response{StatusCode: c.status, Header: http.Header{"Location": {"http://elsewhere.example/" + secret}}, Body: io.NopCloser(strings.NewReader(c.answer)), Request: r}, nil
}

func (c *collector) exporter() *export.Exporter {
	return &export.Exporter{Endpoint: "http://user:" + secret + "@collector.example/v1/traces?key=" + secret, Headers: http.Header{"X-Key": {secret}}, Client: &http.Client{Transport: c}}
}

// spans are so many.
func spans(n int) []trace.Span {
	return make([]trace.Span, n)
}

func TestWhatIsSent(t *testing.T) {
	c := &collector{status: http.StatusOK, answer: `{"partialSuccess":{}}`}
	if err := c.exporter().Export(t.Context(), spans(2)); err != nil {
		t.Fatal(err)
	}
	r := c.got[0]
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != secret {
		t.Errorf("%s %s, headers %v", r.Method, r.URL, r.Header)
	}
	if d := cmp.Diff(string(trace.OTLP(spans(2))), c.bodies[0]); d != "" || len(c.got) != 1 {
		t.Errorf("%d requests (-want +got):\n%s", len(c.got), d)
	}
	if err := c.exporter().Export(t.Context(), spans(2001)); err != nil || len(c.got) != 4 {
		t.Errorf("2001 spans: %v, %d requests", err, len(c.got)-1)
	}
	if err := (*export.Exporter)(nil).Export(t.Context(), spans(1)); err != nil {
		t.Errorf("with no collector: %v", err)
	}
}

// Headers that are kept elsewhere are asked for each time: they may be rotated.
func TestHeadersThatAreKeptElsewhere(t *testing.T) {
	c := &collector{status: http.StatusOK}
	e := c.exporter()
	var text string
	var failed error
	e.Kept = func(context.Context) (string, error) { return text, failed }
	for _, text = range []string{"api-key=one", "api-key=two, X-Tenant=a%20b"} {
		if err := e.Export(t.Context(), spans(1)); err != nil {
			t.Fatal(err)
		}
	}
	if h := c.got[1].Header; c.got[0].Header.Get("Api-Key") != "one" || h.Get("Api-Key") != "two" || h.Get("X-Tenant") != "a b" || h.Get("X-Key") != secret {
		t.Errorf("sent are %v, then %v", c.got[0].Header, h)
	}
	text = secret
	if err := e.Export(t.Context(), spans(1)); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("headers that are none: %v", err)
	}
	failed = errors.New("denied: it cannot be read")
	if err := e.Export(t.Context(), spans(1)); !errors.Is(err, failed) || len(c.got) != 2 {
		t.Errorf("headers that cannot be read: %v, %d requests", err, len(c.got))
	}
}

// One attempt, an error that says what happened, and nothing that is secret.
func TestWhatCollectorsDoWrong(t *testing.T) {
	for want, c := range map[string]*collector{
		"answered 503":      {status: http.StatusServiceUnavailable, answer: secret},
		"answered 307":      {status: http.StatusTemporaryRedirect},
		"answered 401":      {status: http.StatusUnauthorized, answer: secret},
		"rejected some":     {status: http.StatusOK, answer: `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"` + secret + `"}}`},
		"rejected some of":  {status: http.StatusOK, answer: `{"partialSuccess":{"rejectedSpans":1}}`},
		"refused":           {err: &url.Error{Op: "Post", URL: "http://" + secret, Err: errors.New("connection refused")}},
		"deadline exceeded": {status: http.StatusOK, wait: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			err := c.exporter().Export(t.Context(), spans(1))
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
				t.Errorf("%v, want one that says %q", err, want)
			}
			if len(c.got) != 1 || time.Since(began) > export.Timeout {
				t.Errorf("%s: %d requests in %s", want, len(c.got), time.Since(began))
			}
		})
	}
	for _, taken := range []string{``, `{}`, `null`, "\n\x00", `{"partialSuccess":{"rejectedSpans":"0"}}`, `{"partialSuccess":{"rejectedSpans":0,"errorMessage":"a warning"}}`} {
		if err := (&collector{status: http.StatusOK, answer: taken}).exporter().Export(t.Context(), spans(1)); err != nil {
			t.Errorf("%q: %v", taken, err)
		}
	}
}

var stream = eventstore.Stream{Tenant: "t", Session: "s"}

// world is a log, and what its exporter wrote down.
type world struct {
	*eventstore.Journal
	t    *testing.T
	c    *collector
	e    *export.Exporter
	logs bytes.Buffer
}

func newWorld(t *testing.T, d eventstore.Driver) *world {
	w := &world{Journal: eventstore.New(d), t: t, c: &collector{status: http.StatusOK}}
	w.e = w.c.exporter()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&w.logs, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return w
}

// turn has an operation accepted, if it is said how, and settled, and gives the last commit.
func (w *world) turn(id string, accepted *event.OperationAccepted) eventstore.Record {
	w.t.Helper()
	end := []event.Event{{At: event.At(time.Now()), Operation: id, Data: event.OperationCancelled{}}}
	claim := &eventstore.Claim{Key: id, Fingerprint: "f"}
	if accepted != nil {
		w.append(claim, event.Event{At: event.At(time.Now()), Operation: id, Data: *accepted}, event.Event{At: event.At(time.Now()), Data: event.WorkspaceDeleted{Path: "/x"}})
		w.append(nil, event.Event{At: event.At(time.Now()), Operation: id, Data: event.OperationStarted{}}, event.Event{At: event.At(time.Now()), Operation: id, Round: 1, Data: event.ModelStarted{Attempt: 1, Model: "scripted/demo"}})
		claim = nil
	}
	return w.append(claim, end...)
}

func (w *world) append(claim *eventstore.Claim, events ...event.Event) eventstore.Record {
	w.t.Helper()
	_, at, err := w.Head(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	c, _, err := w.Append(w.t.Context(), at, eventstore.Draft{Events: events, Claim: claim})
	if err != nil {
		w.t.Fatal(err)
	}
	return c.Record
}

// exported are the names of the spans of each request.
func (w *world) exported() (names []string) {
	w.t.Helper()
	for _, b := range w.c.bodies {
		var r struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []struct{ Name string } }
			}
		}
		if err := json.Unmarshal([]byte(b), &r); err != nil {
			w.t.Fatal(err)
		}
		for _, s := range r.ResourceSpans[0].ScopeSpans[0].Spans {
			names = append(names, s.Name)
		}
	}
	return names
}

func begun(sampled bool) *event.OperationAccepted {
	c := trace.Begin(trace.Context{}, "stream", "a")
	c.Sampled = sampled
	return &event.OperationAccepted{Agent: event.Agent{Name: "demo"}, Traceparent: c.String()}
}

// What is settled is sent whole, the same one each time; what is not, or is of a trace
// that is not kept, or was never accepted, is not sent.
func TestWhatIsSettledIsSent(t *testing.T) {
	w := newWorld(t, memory.New())
	w.turn("before", begun(true))
	last := w.turn("a", begun(true))
	for range 2 {
		w.e.Settled(t.Context(), w.Journal, last)
	}
	want := []string{"invoke_agent demo", "chat demo", "invoke_agent demo", "chat demo"}
	if d := cmp.Diff(want, w.exported()); d != "" || w.c.bodies[0] != w.c.bodies[1] {
		t.Errorf("(-want +got):\n%s\n%s", d, w.c.bodies)
	}
	if w.e.Settled(t.Context(), w.Journal, last, w.turn("b", begun(true))); len(w.c.got) != 3 || len(w.exported()) != 8 {
		t.Errorf("two at once are sent as %q in %d requests", w.exported()[4:], len(w.c.got)-2)
	}
	for _, r := range []eventstore.Record{w.turn("quiet", begun(false)), w.turn("unseen", nil), w.append(nil, event.Event{At: event.At(time.Now()), Operation: "a", Data: event.OperationStarted{}})} {
		w.e.Settled(t.Context(), w.Journal, r)
		(*export.Exporter)(nil).Settled(t.Context(), w.Journal, r)
	}
	if len(w.c.got) != 3 || w.logs.Len() > 0 {
		t.Errorf("%d requests:\n%s", len(w.c.got), w.logs.String())
	}
}

// A collector that fails is left alone for a while, the log has no secret, and whoever
// calls hears nothing.
func TestACollectorThatFailsIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.c.status, w.c.answer = http.StatusInternalServerError, secret
		last := w.turn("a", begun(true))
		for range 3 {
			w.e.Settled(t.Context(), w.Journal, last)
		}
		if len(w.c.got) != 1 || strings.Count(w.logs.String(), "could not be exported") != 1 || strings.Contains(w.logs.String(), secret) {
			t.Errorf("%d requests:\n%s", len(w.c.got), w.logs.String())
		}
		w.c.status = http.StatusOK
		time.Sleep(export.Pause)
		if w.e.Settled(t.Context(), w.Journal, last); len(w.c.got) != 2 {
			t.Errorf("%d requests after the pause", len(w.c.got))
		}
	})
}

// However many operations are settled, and however slow the collector is, it takes no
// longer than it may.
func TestManyThatAreSettledTakeABoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.c.wait = export.Timeout - time.Millisecond
		last := w.turn("a", begun(true))
		var many []eventstore.Record
		for range 3000 {
			many = append(many, last)
		}
		began := time.Now()
		if w.e.Settled(t.Context(), w.Journal, many...); time.Since(began) > 2*export.Timeout || len(w.c.got) < 2 {
			t.Errorf("it took %s for %d requests", time.Since(began), len(w.c.got))
		}
	})
}

// A log that cannot be read is no reason to fail, nor to wait long.
func TestALogThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := memory.New()
		w := newWorld(t, d)
		last := w.turn("a", begun(true))
		for _, op := range []flaky.Op{flaky.Row, flaky.Records} {
			down := flaky.New(d, flaky.Script{{When: flaky.Every(op), Do: flaky.Throttle}})
			began := time.Now()
			if w.e.Settled(context.Background(), eventstore.New(down), last); time.Since(began) > export.Timeout {
				t.Errorf("it took %s", time.Since(began))
			}
		}
		if len(w.c.got) != 0 || strings.Count(w.logs.String(), "could not be read") != 2 {
			t.Errorf("%d requests:\n%s", len(w.c.got), w.logs.String())
		}
	})
}
