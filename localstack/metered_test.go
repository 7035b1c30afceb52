package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/localstack/lambda"
	"windlass/localstack/usage"
)

func TestWhatIsAskedIsCountedWhereItIsServed(t *testing.T) {
	f := newFake()
	r := launch(t, f.product(), t.TempDir(), map[string]string{
		"WINDLASS_DEV_KEY": processKey, "WINDLASS_LOCAL_USAGE": "1", "WINDLASS_LOCAL_STREAM": "alone", "WINDLASS_LOCAL_MINUTE": "24h",
	})
	ask := func(path, body string) {
		t.Helper()
		res, err := http.Post(r.at.API+path, "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
	}
	for _, body := range []string{"1", "2", "3"} { // each of them is delivered by itself
		ask("/commit", body)
	}
	ask("/keep", strings.Repeat("x", 600<<10))
	for range 3 {
		<-f.dispatched
	}
	want := map[string]float64{
		"api dynamodb PutItem requests": 3, "api dynamodb PutItem windlass-log write": 3,
		"api s3 PUT windlass-blob requests": 1, "api s3 PUT windlass-blob put": 1,
		"lambda Invoke windlass-api requests": 4, "lambda Invoke windlass-dispatch requests": 3,
		"apigateway http requests": 4, "apigateway http request": 5, // 600 KB are two
	}
	deadline := time.Now().Add(patience)
	for {
		res, body := local(t, "GET", r.at.API+usagePath, "Bearer "+processKey)
		var got report
		if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != 200 {
			t.Fatalf("%d %s: %v", res.StatusCode, body, err)
		}
		if !got.Idle {
			if time.Now().After(deadline) {
				t.Fatalf("it does not come to rest: %s", body)
			}
			continue
		}
		found := map[string]float64{}
		for _, l := range got.Lines {
			name := strings.Join(strings.Fields(l.Caller+" "+l.Service+" "+l.Operation+" "+l.Resource), " ")
			found[name+" requests"] = float64(l.Requests)
			for unit, n := range l.Units {
				found[name+" "+unit] = n
			}
		}
		for name, n := range want {
			if found[name] != n {
				t.Errorf("%s: %v, want %v", name, found[name], n)
			}
		}
		if got.Functions["windlass-drive"].MemoryMB != 1024 || got.AlarmMetrics < 15 {
			t.Errorf("%+v, %d alarm metrics", got.Functions, got.AlarmMetrics)
		}
		return
	}
}

func TestARefusedInvocationIsNotBilled(t *testing.T) {
	m := metered{Counter: usage.New()}
	m.invoked("f", time.Millisecond+1, &lambda.FunctionError{Type: "unavailable"})
	m.invoked("f", time.Second, &lambda.ServiceError{Status: 429})
	want := []usage.Line{{Use: usage.Use{Service: "lambda", Operation: "Invoke", Resource: "f"}, Requests: 1, Units: map[string]float64{"ms": 2, "us": 1000}}}
	if d := cmp.Diff(want, m.Lines()); d != "" {
		t.Error(d)
	}
}

func TestMessagesAndObjectsAreCountedByTheirClass(t *testing.T) {
	m := metered{Counter: usage.New()}
	m.message("$connect", []byte(`{}`))
	m.message("subscribe", []byte(`{"body":"`+strings.Repeat("x", messageUnit)+`"}`))
	m.message("$default", []byte(`{"body":"`+strings.Repeat("x", messageUnit+1)+`"}`))
	if l := m.Lines(); len(l) != 1 || l[0].Requests != 2 || l[0].Units["message"] != 3 {
		t.Errorf("%+v", l)
	}
	for _, c := range []struct{ method, path, operation, class string }{
		{"GET", "/b/key", "GET", "get"}, {"HEAD", "/b/key", "HEAD", "get"}, {"PUT", "/b/key", "PUT", "put"},
		{"GET", "/b?list-type=2", "LIST", "put"}, {"GET", "/b/?list-type=2", "LIST", "put"}, {"POST", "/b?delete", "POST", "put"}, {"DELETE", "/b/key", "DELETE", "free"},
	} {
		op, bucket := s3Operation(httptest.NewRequest(c.method, c.path, nil))
		if op != c.operation || bucket != "b" || s3Class(op) != c.class {
			t.Errorf("%s %s: %s of %s, %s", c.method, c.path, op, bucket, s3Class(op))
		}
	}
}

func TestLinesAreCountedAsTheyAreWrittenOnAWS(t *testing.T) {
	m := metered{Counter: usage.New()}
	var shown strings.Builder
	log := slog.New(m.logs(slog.NewTextHandler(&shown, &slog.HandlerOptions{Level: slog.LevelWarn}), nil))
	log.Debug("neither written nor counted")
	log.With("session", "s").Info("counted", "n", 1)
	log.WarnContext(context.Background(), "both")
	l := m.Lines()
	if len(l) != 1 || l[0].Requests != 2 {
		t.Fatalf("%+v", l)
	}
	// {"time":"…","level":"INFO","msg":"counted","session":"s","n":1} and 26 more
	if n := l[0].Units["bytes"]; n < 150 || n > 250 {
		t.Errorf("%v bytes", n)
	}
	if got := shown.String(); strings.Contains(got, "counted") || !strings.Contains(got, "both") {
		t.Errorf("shown: %s", got)
	}
}
