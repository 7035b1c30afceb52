package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"windlass/eventstore"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// back knows one token, of a call of the session s.
type back struct{}

func (back) Step(_ context.Context, token string) (callback.Step, error) {
	if token != "good" {
		return callback.Step{}, fault.New(fault.NotFound, "no callback URL")
	}
	return callback.Step{Stream: eventstore.Stream{Tenant: "acme", Session: "s"}, Operation: "op", Round: 1}, nil
}

// told notes what is reported.
type told struct {
	failing
	result session.CallResult
	times  int
}

func (f *told) CalledBack(_ context.Context, at callback.Step, r session.CallResult) (bool, error) {
	f.times++
	f.result = r
	return at.Operation == "op", nil
}

func TestACallbackNeedsItsURLAndNothingElse(t *testing.T) {
	w, f := newWorld(t), &told{}
	w.api.Control = f
	for _, path := range []string{"/v1/callbacks/bad", "/v1/callbacks/good%2Fx"} {
		w.problem(w.do(request{method: "POST", path: path, body: `{"output":1}`}), fault.NotFound)
	}
	w.problem(w.do(request{method: "GET", path: "/v1/callbacks/good"}), fault.Unauthorized)
	w.problem(w.do(request{method: "POST", path: "/v1/callbacks/good", query: "a=b", body: `{"output":1}`}), fault.InvalidRequest)
	if f.times != 0 {
		t.Errorf("%d were taken", f.times)
	}
	if r := w.do(request{method: "POST", path: "/v1/callbacks/good", body: `{"output":1}`}); r.status != 200 || strings.TrimSpace(r.body) != `{"accepted":true}` {
		t.Errorf("%+v", r)
	}
}

func TestWhatACallbackMaySay(t *testing.T) {
	w, f := newWorld(t), &told{}
	w.api.Control = f
	for body, want := range map[string]string{
		`{"output":"as it is"}`:                       "as it is",
		`{"output":{"a":[1, 2]}}`:                     `{"a":[1, 2]}`,
		`{"output":null}`:                             "null",
		`{"output":""}`:                               "",
		`{"error":{"message":"no stock"}}`:            "tool_failed: no stock",
		`{"error":{"code":"empty","message":"none"}}`: "empty: none",
	} {
		f.result = session.CallResult{}
		r := w.do(request{method: "POST", path: "/v1/callbacks/good", body: body})
		got := f.result.Output
		if e := f.result.Error; e != nil {
			got = e.Code + ": " + e.Message
		}
		if r.status != 200 || got != want {
			t.Errorf("%s: %d %s; %q, want %q", body, r.status, r.body, got, want)
		}
	}
	f.times = 0
	for _, body := range []string{
		"", "[]", "{}", `{"output":1,"error":{"message":"x"}}`, `{"error":"x"}`, `{"error":{}}`, `{"error":{"code":"a"}}`, `{"error":{"code":"","message":"x"}}`,
		`{"Output":1}`, `{"output":1,"output":2}`, `{"output":1}x`, `{"output":"\ud800"}`, `{"output":`, `{"result":1}`,
	} {
		w.problem(w.do(request{method: "POST", path: "/v1/callbacks/good", body: body}), fault.InvalidRequest)
	}
	w.problem(w.do(request{method: "POST", path: "/v1/callbacks/good", body: `{"output":"` + strings.Repeat("x", 1<<20) + `"}`}), fault.TooLarge)
	if f.times != 0 {
		t.Errorf("%d were taken", f.times)
	}
}
