package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

const token = "s3cret-token"

// here is where every name of a test leads.
func here(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func options() Options {
	return Options{
		Network: outside.Network{Lookup: here, Loopback: true},
		Secrets: func(_ context.Context, name string) (string, error) {
			if name == "TOKEN" {
				return token, nil
			}
			return "", errors.New("no such secret")
		},
	}
}

// serve starts a server, and returns its port.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// tools are those of a configuration, by name. PORT in it is port.
func tools(t *testing.T, port, with string) map[string]*tool.Tool {
	t.Helper()
	made, err := New(json.RawMessage(strings.ReplaceAll(with, "PORT", port)), options())
	if err != nil {
		t.Fatal(err)
	}
	list, err := made.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tool.Tool{}
	for _, one := range list {
		all[one.Name] = one
	}
	return all
}

func send(t *testing.T, one *tool.Tool, a args) (answer, error) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Read(string(raw)); err != nil {
		t.Fatal(err)
	}
	r, err := one.Run(t.Context(), tool.Env{Key: "tenant/session/op/1/0"}, string(raw))
	var got answer
	if err == nil {
		if err := json.Unmarshal([]byte(r.Output), &got); err != nil {
			t.Fatalf("%v of %s", err, r.Output)
		}
	}
	return got, err
}

func code(t *testing.T, err error) string {
	t.Helper()
	var f tool.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Failure", err)
	}
	return f.Code
}

const plain = `{"allow":[{"host":"api.example.com","http":true,"ports":[PORT],"paths":["/v1/**"],
	"methods":{"GET":"read","HEAD":"read","PUT":"idempotent","POST":"once"},
	"headers":{"Authorization":{"secret":"TOKEN","prefix":"Bearer "},"X-Api-Version":"2"}}]}`

func TestARequestCarriesWhatTheModelAndTheRuleSay(t *testing.T) {
	var got *http.Request
	var body string
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b := new(strings.Builder)
		_, _ = fmt.Fprint(b, readAll(r))
		got, body = r, b.String()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Private", "1")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"a":"<b>"}`))
	})
	all := tools(t, port, plain)
	at := "http://api.example.com:" + port + "/v1/things?q=1"
	for _, c := range []struct {
		tool, method, body, kind, key string
	}{
		{"http_read", "GET", "", "", ""},
		{"http_idempotent", "put", `{"n":1}`, "application/json", idempotencyKey("tenant/session/op/1/0")},
		{"http_once", "POST", "hello", "text/plain; charset=utf-8", ""},
	} {
		a, err := send(t, all[c.tool], args{Method: c.method, URL: at, Headers: map[string]string{"accept": "text/html"}, Body: c.body})
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
			continue
		}
		want := answer{Status: 201, Headers: map[string]string{"Content-Type": "application/json"}, Body: `{"a":"<b>"}`}
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("%s: %s", c.tool, diff)
		}
		h := got.Header
		if got.Method != strings.ToUpper(c.method) || got.URL.RequestURI() != "/v1/things?q=1" || got.Host != "api.example.com:"+port || body != c.body ||
			h.Get("Authorization") != "Bearer "+token || h.Get("X-Api-Version") != "2" || h.Get("Accept") != "text/html" || h.Get("Content-Type") != c.kind || h.Get("Idempotency-Key") != c.key {
			t.Errorf("%s sent %s %s with %v and %q", c.tool, got.Method, got.URL, h, body)
		}
	}
	if key := idempotencyKey("tenant/session/op/1/0"); strings.Contains(key, "tenant") || len(key) != 64 {
		t.Errorf("the key is %s", key)
	}
}

func TestWhatNoRuleAllowsIsNotSent(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	all := tools(t, port, plain)
	base := "http://api.example.com:" + port
	for _, c := range []struct {
		tool, want string
		a          args
	}{
		{"http_read", "denied_host", args{Method: "GET", URL: "http://other.example.com:" + port + "/v1/a"}},
		{"http_read", "denied_host", args{Method: "GET", URL: "http://a.api.example.com:" + port + "/v1/a"}},
		{"http_read", "denied_host", args{Method: "GET", URL: "http://127.0.0.1:" + port + "/v1/a"}},
		{"http_read", "denied_host", args{Method: "GET", URL: "http://api.example.com/v1/a"}},
		{"http_read", "denied_path", args{Method: "GET", URL: base + "/v2/a"}},
		{"http_read", "invalid_url", args{Method: "GET", URL: base + "/v1/../v2/a"}},
		{"http_read", "invalid_url", args{Method: "GET", URL: base + "/v1/%2e%2e/v2/a"}},
		{"http_read", "invalid_url", args{Method: "GET", URL: "http://u:p@api.example.com:" + port + "/v1/a"}},
		{"http_read", "denied_method", args{Method: "DELETE", URL: base + "/v1/a"}},
		{"http_read", "denied_method", args{Method: "POST", URL: base + "/v1/a"}},
		{"http_once", "denied_method", args{Method: "GET", URL: base + "/v1/a"}},
		{"http_read", "denied_method", args{Method: "GET / HTTP/1.1\r\nHost: evil", URL: base + "/v1/a"}},
		{"http_read", "denied_header", args{Method: "GET", URL: base + "/v1/a", Headers: map[string]string{"authorization": "mine"}}},
		{"http_read", "denied_header", args{Method: "GET", URL: base + "/v1/a", Headers: map[string]string{"X-Api-Version": "3"}}},
		{"http_read", "denied_header", args{Method: "GET", URL: base + "/v1/a", Headers: map[string]string{"Host": "other"}}},
		{"http_read", "denied_header", args{Method: "GET", URL: base + "/v1/a", Headers: map[string]string{"Accept": "a\r\nX-Evil: 1"}}},
		{"http_read", "denied_header", args{Method: "GET", URL: base + "/v1/a", Headers: map[string]string{"Accept-Encoding": "br"}}},
		{"http_once", "too_large", args{Method: "POST", URL: base + "/v1/a", Body: strings.Repeat("a", maxRequestBytes+1)}},
	} {
		if _, err := send(t, all[c.tool], c.a); err == nil || code(t, err) != c.want {
			t.Errorf("%s %s by %s: %v, want %s", c.a.Method, c.a.URL, c.tool, err, c.want)
		}
	}
	if asked.Load() != 0 {
		t.Errorf("the server was asked %d times", asked.Load())
	}
}

func TestAnAddressOfThePrivateNetworkIsDenied(t *testing.T) {
	var asked atomic.Bool
	port := serve(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	o := options()
	o.Network.Loopback, o.Network.Internal = false, true // only a rule makes a host private
	made, err := New(json.RawMessage(strings.ReplaceAll(plain, "PORT", port)), o)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := made.List(t.Context())
	for _, one := range list {
		method := map[string]string{"http_read": "GET", "http_idempotent": "PUT", "http_once": "POST"}[one.Name]
		if _, err := send(t, one, args{Method: method, URL: "http://api.example.com:" + port + "/v1/a"}); err == nil || code(t, err) != "denied_address" {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
	if asked.Load() {
		t.Error("the server was asked")
	}
}

func TestAConfigurationSaysWhatIsWrongWithIt(t *testing.T) {
	for with, want := range map[string]string{
		``:                  "0 rules",
		`{"allow":[{}]}`:    `host ""`,
		`{"alow":[]}`:       "unknown field",
		`{"loopback":true}`: "unknown field",
		`{"allow":[{"host":"a.example","secret":"x"}]}`:                                       "unknown field",
		`{"allow":[{"host":"*.com"}]}`:                                                        "two parts",
		`{"allow":[{"host":"*"}]}`:                                                            `host "*"`,
		`{"allow":[{"host":"a.*.com"}]}`:                                                      `host "a.*.com"`,
		`{"allow":[{"host":"*.1.2.3.4"}]}`:                                                    "two parts",
		`{"allow":[{"host":"0x7f.1"}]}`:                                                       "IP address",
		`{"allow":[{"host":"metadata.google.internal"}]}`:                                     "no public one",
		`{"allow":[{"host":"a.example","methods":{"get":"read"}}]}`:                           `"get"`,
		`{"allow":[{"host":"a.example","methods":{"POST":"twice"}}]}`:                         `"twice"`,
		`{"allow":[{"host":"a.example","ports":[0]}]}`:                                        "port 0",
		`{"allow":[{"host":"a.example","paths":["v1"]}]}`:                                     "slash",
		`{"allow":[{"host":"a.example","paths":["/a**"]}]}`:                                   "**",
		`{"allow":[{"host":"a.example","headers":{"Host":"b"}}]}`:                             `"Host"`,
		`{"timeout":"1h","allow":[{"host":"a.example"}]}`:                                     "1h",
		`{"maxResponseBytes":-1,"allow":[{"host":"a.example"}]}`:                              "maxResponseBytes",
		`{"allow":[` + strings.Repeat(`{"host":"a.example"},`, 64) + `{"host":"a.example"}]}`: "65 rules",
	} {
		if _, err := New(json.RawMessage(with), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want something of %s", with, err, want)
		}
	}
}

func TestTheModelReadsWhatIsAllowed(t *testing.T) {
	all := tools(t, "8080", `{"allow":[{"host":"*.example.com","methods":{"GET":"read","POST":"once"},"paths":["/a","/b/**"]},{"host":"EXAMPLE.org.","http":true,"ports":[PORT]}]}`)
	if len(all) != 2 {
		t.Fatalf("there are %d tools", len(all))
	}
	for name, want := range map[string]string{
		"http_read": "\n- GET https://*.example.com, paths /a /b/**\n- GET, HEAD https://example.org (http too), ports 8080",
		"http_once": "\n- POST https://*.example.com, paths /a /b/**",
	} {
		if d := all[name].Description; !strings.HasSuffix(d, want) {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestCallsThatChangeSomethingKeepTheirOrderAtAHost(t *testing.T) {
	all := tools(t, "80", plain)
	for name, want := range map[string]string{"http_read": "", "http_idempotent": "http:a.example:443", "http_once": "http:a.example:443"} {
		c, err := all[name].Read(`{"method":"GET","url":"https://A.example/x"}`)
		if got := c.Target(); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
