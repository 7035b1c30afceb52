package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"windlass/functions/internal/tool"
)

const reporting = `{"allow":[{"host":"a.example.com","http":true,"ports":[PORT],"methods":{"GET":"read","POST":"once","PUT":"idempotent"},"callback":{"header":"X-Report-To","for":"2h"}}]}`

// A server that only began what it was told says so by 202, and knows where to report;
// the model sees neither.
func TestAServerThatReportsLater(t *testing.T) {
	const url = "https://api.example/v1/callbacks/abc.def"
	var told string
	status := http.StatusAccepted
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		told = r.Header.Get("X-Report-To")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "report to "+told)
	})
	all := tools(t, port, reporting)
	env := tool.Env{Key: "k", Callback: func(context.Context) (string, error) { return url, nil }}
	args := func(method string) string {
		return `{"method":"` + method + `","url":"http://a.example.com:` + port + `/"}`
	}
	for name, method := range map[string]string{"http_once": "POST", "http_idempotent": "PUT"} {
		r, err := all[name].Run(t.Context(), env, args(method))
		if err != nil || r.Later == nil || r.Later.For != 2*time.Hour || r.Later.Again || told != url {
			t.Errorf("%s: %+v, %v, told %q", name, r, err, told)
		}
	}
	status = http.StatusOK
	if r, err := all["http_once"].Run(t.Context(), env, args("POST")); err != nil || r.Later != nil || strings.Contains(r.Output, "abc.def") || !strings.Contains(r.Output, "report to [secret]") {
		t.Errorf("done at once: %+v, %v", r, err)
	}
	status, told = http.StatusAccepted, ""
	if r, err := all["http_read"].Run(t.Context(), env, args("GET")); err != nil || r.Later != nil || told != "" {
		t.Errorf("a read: %+v, %v, told %q", r, err, told)
	}
	env.Callback = func(context.Context) (string, error) { return "", errors.New("out of reach") }
	told = "nothing was sent"
	if _, err := all["http_once"].Run(t.Context(), env, args("POST")); code(t, err) != "no_callback" || told != "nothing was sent" {
		t.Errorf("without a URL: %v, told %q", err, told)
	}
}

func TestAnAnswerThatMayPassIsKnown(t *testing.T) {
	status := 0
	port := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	read := tools(t, port, two)["http_read"]
	for code, want := range map[int]bool{200: false, 404: false, 429: true, 500: false, 502: true, 503: true, 504: true} {
		status = code
		if r, err := read.Run(t.Context(), tool.Env{}, `{"method":"GET","url":"http://a.example.com:`+port+`/"}`); err != nil || r.Passing != want {
			t.Errorf("%d: %+v, %v", code, r, err)
		}
	}
}

func TestABadCallbackStopsTheStart(t *testing.T) {
	for _, bad := range []string{`{"for":"-1s"}`, `{"for":"721h"}`, `{"header":"Content-Type"}`, `{"header":"a b"}`, `{"header":"X-Key"}`, `{"until":"x"}`} {
		with := `{"allow":[{"host":"a.example.com","headers":{"X-Key":"1"},"callback":` + bad + `}]}`
		if _, err := New(json.RawMessage(with), options()); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
