package lambda

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A runtime is the other side of a Runtime API, one request at a time.
type runtimeSide struct {
	t   *testing.T
	api *runtimeAPI
	url string
}

func runtimeOf(t *testing.T, kill func()) runtimeSide {
	t.Helper()
	api := newRuntimeAPI(kill)
	server := httptest.NewServer(api.handler("/secret"))
	t.Cleanup(server.Close)
	return runtimeSide{t, api, server.URL}
}

// send returns the status, and the error's type or the status of the answer.
func (r runtimeSide) send(method, path, body string, header ...string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if len(header) == 2 {
		req.Header.Set(header[0], header[1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	var says struct{ ErrorType, Status string }
	_ = json.Unmarshal(b, &says) // a payload and a 404 are no such document
	return res.StatusCode, says.ErrorType + says.Status
}

const base = "/secret" + runtimeVersion

// take hands a job over to a poll.
func (r runtimeSide) take(id string, deadline time.Time) *job {
	r.t.Helper()
	j := &job{id: id, deadline: deadline, payload: []byte(`{}`), outcome: make(chan outcome, 1)}
	go func() { r.api.jobs <- j }()
	if status, says := r.send("GET", base+"/invocation/next", ""); status != 200 {
		r.t.Fatalf("%d %s", status, says)
	}
	return j
}

func TestOnlyTheInvocationUnderWayIsAnsweredAndOnce(t *testing.T) {
	r := runtimeOf(t, func() {})
	far := time.Now().Add(time.Hour)
	j := r.take("one", far)
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"POST", "/secret2" + runtimeVersion + "/invocation/one/response", 404, ""},
		{"POST", runtimeVersion + "/invocation/one/response", 404, ""},
		{"GET", base + "/invocation/next", 403, "InvalidStateTransition"}, // before an answer
		{"POST", base + "/invocation/two/response", 400, "InvalidRequestID"},
		{"POST", base + "/invocation/two/error", 400, "InvalidRequestID"},
		{"POST", base + "/invocation/one/response", 202, "OK"},
		{"POST", base + "/invocation/one/response", 400, "InvalidRequestID"},
		{"POST", base + "/invocation/one/error", 400, "InvalidRequestID"},
	} {
		if status, says := r.send(c.method, c.path, `"x"`); status != c.status || says != c.says {
			t.Errorf("%+v: %d %s", c, status, says)
		}
	}
	if out := <-j.outcome; string(out.payload) != `"x"` || out.err != nil {
		t.Errorf("%+v", out)
	}
	if r.api.busy() {
		t.Error("busy after its answer")
	}
	r.take("two", far)
	if !r.api.busy() {
		t.Error("not busy with an invocation")
	}
}

func TestAPollThatWentAwayTakesNothing(t *testing.T) {
	r := runtimeOf(t, func() {})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", r.url+base+"/invocation/next", nil)
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan struct{})
	go func() {
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
		close(left)
	}()
	poll := func(want bool) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			r.api.mu.Lock()
			polling := r.api.polling
			r.api.mu.Unlock()
			if polling == want {
				return
			}
			<-tick.C
		}
	}
	poll(true)
	if status, says := r.send("GET", base+"/invocation/next", ""); status != 403 {
		t.Errorf("a second poll: %d %s", status, says)
	}
	cancel()
	<-left
	poll(false)
	r.take("one", time.Now().Add(time.Hour))
}

func TestErrorsAreReadAsTheirRuntimeReportsThem(t *testing.T) {
	for _, c := range []struct {
		named, body string
		want        FunctionError
	}{
		{"", `{"errorType":"conflict","errorMessage":"lost"}`, FunctionError{Type: "conflict", Message: "lost", Payload: []byte(`{"errorType":"conflict","errorMessage":"lost"}`)}},
		{"Named", `{"errorType":"conflict","errorMessage":"lost"}`, FunctionError{Type: "Named", Message: "lost", Payload: []byte(`{"errorType":"conflict","errorMessage":"lost"}`)}},
		{"", `{}`, FunctionError{Type: unknownError, Payload: []byte(`{}`)}},
		{"", "plain \x00 text", FunctionError{Type: unknownError, Message: "plain \x00 text", Payload: []byte(`{"errorMessage":"plain \u0000 text","errorType":"Runtime.Unknown"}`)}},
	} {
		r := runtimeOf(t, func() {})
		j := r.take("one", time.Now().Add(time.Hour))
		if status, says := r.send("POST", base+"/invocation/one/error", c.body, "Lambda-Runtime-Function-Error-Type", c.named); status != 202 {
			t.Fatalf("%d %s", status, says)
		}
		if diff := cmp.Diff(&c.want, (<-j.outcome).err, cmp.AllowUnexported(FunctionError{})); diff != "" {
			t.Errorf("%s %s: %s", c.named, c.body, diff)
		}
	}
}

func TestAResponseThatBreaksOffIsAnError(t *testing.T) {
	r := runtimeOf(t, func() {})
	j := r.take("one", time.Now().Add(time.Hour))
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+base+"/invocation/one/response", io.MultiReader(strings.NewReader("half of")))
	if err != nil {
		t.Fatal(err)
	}
	req.Trailer = http.Header{
		"Lambda-Runtime-Function-Error-Type": {"errorString"},
		"Lambda-Runtime-Function-Error-Body": {"eyJlcnJvck1lc3NhZ2UiOiJkaXNrIn0="},
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if f := failure(t, (<-j.outcome).err); f.Type != "errorString" || f.Message != "disk" {
		t.Errorf("%v", f)
	}
}

func TestAnInitErrorIsKept(t *testing.T) {
	r := runtimeOf(t, func() {})
	if status, _ := r.send("POST", base+"/init/error", `{"errorType":"NoTable","errorMessage":"none"}`); status != 202 {
		t.Errorf("%d", status)
	}
	if f := r.api.initError(); f == nil || f.Type != "NoTable" || !f.exit {
		t.Errorf("%v", f)
	}
}

// It has answered and does not come back: it would hold its place for ever.
func TestAProcessThatDoesNotPollByTheDeadlineIsKilled(t *testing.T) {
	killed := make(chan struct{})
	r := runtimeOf(t, func() { close(killed) })
	r.take("one", time.Now().Add(50*time.Millisecond))
	if status, _ := r.send("POST", base+"/invocation/one/response", `1`); status != 202 {
		t.Errorf("%d", status)
	}
	<-killed
}

func FuzzReadError(f *testing.F) {
	f.Add("", []byte(`{"errorType":"a","errorMessage":"b","stackTrace":[{"path":"p","line":1,"label":"l"}]}`))
	f.Add("Named", []byte(`[1,2`))
	f.Add("", []byte("\xff"))
	f.Fuzz(func(t *testing.T, named string, body []byte) {
		e := readError(named, body)
		if e.Type == "" || !json.Valid(e.Payload) {
			t.Errorf("%q %q: %+v", named, body, e)
		}
		if named != "" && e.Type != named {
			t.Errorf("named %q, and it is %q", named, e.Type)
		}
	})
}
