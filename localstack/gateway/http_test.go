package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type invoke = func(ctx context.Context, event []byte) ([]byte, error)

func api(f invoke) http.Handler {
	return HTTP(Options{
		Invoke: f, APIID: "windlass-http", Account: "000000000000",
		Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2026, 11, 30, 5, 6, 7, 8e6, time.UTC) },
	})
}

func answering(s string) invoke {
	return func(context.Context, []byte) ([]byte, error) { return []byte(s), nil }
}

// raw sends bytes to a real server, so that nothing tidies the request up.
func raw(t *testing.T, h http.Handler, request string) *http.Response {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = Server(h, slog.New(slog.DiscardHandler))
	srv.Start()
	t.Cleanup(srv.Close)
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go io.WriteString(conn, request) // the server may answer before it has read it all
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var volatile = regexp.MustCompile(`"requestId":"[\w-]{16}"|Root=1-[0-9a-f]{8}-[0-9a-f]{24}`)

// Each golden file is the event of one raw request.
func TestTheEventIsTheOneOfPayloadFormatTwo(t *testing.T) {
	for name, request := range map[string]string{
		"plain":       "GET / HTTP/1.1\r\nHost: localhost:8787\r\nUser-Agent: curl/8\r\n\r\n",
		"headers":     "GET /v1/x HTTP/1.1\r\nHost: localhost:8787\r\nX-One: a\r\nx-one: b, c\r\nConnection: keep-alive\r\nX-Forwarded-For: 10.0.0.1\r\nCookie: a=1; b=2\r\nCookie: c=3\r\n\r\n",
		"query":       "GET /q?a=1&b=x%20y&a=2&c&d=%26+z&e=<> HTTP/1.1\r\nHost: localhost:8787\r\n\r\n",
		"escapedpath": "GET /v1/a%2Fb%20c/%E2%82%AC//../d+e%5C?x HTTP/1.1\r\nHost: localhost:8787\r\n\r\n",
		"json":        "POST /v1/p HTTP/1.1\r\nHost: localhost:8787\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 13\r\n\r\n{\"a\":\"<b>&€\"}",
		"form":        "POST /v1/p HTTP/1.1\r\nHost: localhost:8787\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b",
		"bytes":       "PUT /v1/p HTTP/1.1\r\nHost: localhost:8787\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\na\xff\x00",
	} {
		t.Run(name, func(t *testing.T) {
			var event []byte
			raw(t, api(func(_ context.Context, e []byte) ([]byte, error) { event = e; return []byte(`{}`), nil }), request)
			golden(t, name+".json", event)
			var typed events.APIGatewayV2HTTPRequest
			if err := json.Unmarshal(event, &typed); err != nil {
				t.Error(err)
			}
		})
	}
}

func golden(t *testing.T, name string, event []byte) {
	t.Helper()
	event = volatile.ReplaceAllFunc(event, func(b []byte) []byte {
		if b[0] == '"' {
			return []byte(`"requestId":"ID"`)
		}
		return []byte("TRACE")
	})
	var text bytes.Buffer
	if err := json.Indent(&text, event, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, event)
	}
	text.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTheAnswerIsSentAsTheFunctionGaveIt(t *testing.T) {
	res := raw(t, api(answering(`{"statusCode":201,"headers":{"x-a":"1","content-type":"image/png","connection":"close"},
		"cookies":["a=1","b=2"],"isBase64Encoded":true,"body":"`+base64.StdEncoding.EncodeToString([]byte{0, 255, 10})+`"}`)),
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if res.StatusCode != 201 || res.Header.Get("X-A") != "1" || res.Header.Get("Content-Type") != "image/png" || res.Close {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if diff := cmp.Diff([]string{"a=1", "b=2"}, res.Header["Set-Cookie"]); diff != "" {
		t.Error(diff)
	}
	if got := body(t, res); got != "\x00\xff\n" || res.ContentLength != 3 || len(res.Header.Get("Apigw-Requestid")) != 16 {
		t.Errorf("body %q, %v", got, res.Header)
	}
}

func TestEveryFailureHasAWSsStatusAndBareBody(t *testing.T) {
	get := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	post := func(n int, head string) string {
		return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s", head, n, strings.Repeat("\x01", n))
	}
	for name, c := range map[string]struct {
		f       invoke
		request string
		status  int
		message string
	}{
		"function error":   {func(context.Context, []byte) ([]byte, error) { return nil, errors.New("x") }, get, 500, "Internal Server Error"},
		"throttled":        {func(context.Context, []byte) ([]byte, error) { return nil, fmt.Errorf("%w", ErrThrottled) }, get, 503, "Service Unavailable"},
		"not JSON":         {answering(`{`), get, 500, "Internal Server Error"},
		"no such status":   {answering(`{"statusCode":0}`), get, 500, "Internal Server Error"},
		"bad base64":       {answering(`{"statusCode":200,"isBase64Encoded":true,"body":"*"}`), get, 500, "Internal Server Error"},
		"body is a number": {answering(`{"statusCode":200,"body":1}`), get, 500, "Internal Server Error"},
		"header injection": {answering(`{"statusCode":200,"headers":{"a":"b\r\nc: d"}}`), get, 500, "Internal Server Error"},
		"header's name":    {answering(`{"statusCode":200,"headers":{"a b":"c"}}`), get, 500, "Internal Server Error"},
		"body over 10 MB":  {answering(`{}`), post(MaxBody+1, ""), 413, "Request Entity Too Large"},
		"event over 6 MB":  {answering(`{}`), post(5<<20, "Content-Type: application/octet-stream\r\n"), 413, "Request Entity Too Large"},
		"escaped event":    {answering(`{}`), post(2<<20, "Content-Type: text/plain\r\n"), 413, "Request Entity Too Large"},
		"headers":          {answering(`{}`), "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + strings.Repeat("x", MaxHeaders) + "\r\n\r\n", 431, "Request Header Fields Too Large"},
		"path not UTF-8":   {answering(`{}`), "GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "Bad Request"},
		"query escape":     {answering(`{}`), "GET /?a=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "Bad Request"},
		"CONNECT":          {answering(`{}`), "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400, "Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			res := raw(t, api(c.f), c.request)
			if got, want := body(t, res), fmt.Sprintf(`{"message":%q}`, c.message); res.StatusCode != c.status || got != want {
				t.Errorf("%d %s, want %d %s", res.StatusCode, got, c.status, want)
			}
		})
	}
}

func TestAnAnswerWithoutAStatusIsItselfTheBody(t *testing.T) {
	for _, payload := range []string{`{"a":1}`, `"text"`, `null`, `[1]`} {
		res := raw(t, api(answering(payload)), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if got := body(t, res); res.StatusCode != 200 || got != payload || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", payload, res.StatusCode, got)
		}
	}
}

func TestHEADHasALengthAndNoBody(t *testing.T) {
	res := raw(t, api(answering(`{"statusCode":200,"body":"four"}`)), "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if res.ContentLength != 4 || body(t, res) != "" {
		t.Errorf("%d", res.ContentLength)
	}
}

func TestALateAnswerIsServiceUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := httptest.NewRecorder()
		api(func(ctx context.Context, _ []byte) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != 503 || w.Body.String() != `{"message":"Service Unavailable"}` || time.Since(began) != Timeout {
			t.Errorf("%d %s after %v", w.Code, w.Body, time.Since(began))
		}
	})
}

// Whatever the request line, the event's path is the decoded one, unclean parts
// included, or the request is refused.
func FuzzPath(f *testing.F) {
	for _, p := range []string{"/", "/a%2fb", "//a/../b", "/%", "/%ff", "/a?b=%31", "/a;b", "/\x80"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, target string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")))
		if err != nil {
			return
		}
		called := false
		w := httptest.NewRecorder()
		api(func(_ context.Context, e []byte) ([]byte, error) {
			called = true
			var event events.APIGatewayV2HTTPRequest
			if err := json.Unmarshal(e, &event); err != nil {
				t.Fatal(err)
			}
			if event.RawPath != r.URL.Path || event.RequestContext.HTTP.Path != r.URL.Path {
				t.Errorf("path %q, want %q", event.RawPath, r.URL.Path)
			}
			return []byte(`{}`), nil
		}).ServeHTTP(w, r)
		if called != (w.Code == 200) {
			t.Errorf("called %v, status %d", called, w.Code)
		}
	})
}

// Whatever a function answers, a client gets a whole HTTP response.
func FuzzAnswer(f *testing.F) {
	for _, p := range []string{`{"statusCode":200,"headers":{"a":"b"},"cookies":["a=b"],"body":"x"}`, `{"statusCode":204,"body":"x"}`, `null`, `{`, `{"statusCode":200,"headers":{"":"\u0000"}}`} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		w := httptest.NewRecorder()
		api(answering(payload)).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		var wire bytes.Buffer
		if err := w.Result().Write(&wire); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(&wire), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(res.Body); err != nil || res.StatusCode != w.Code {
			t.Errorf("%d, %v", res.StatusCode, err)
		}
	})
}
