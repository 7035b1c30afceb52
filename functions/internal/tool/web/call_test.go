package web

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"windlass/functions/internal/tool"
)

func readAll(r *http.Request) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

const two = `{"maxResponseBytes":100,"allow":[
	{"host":"a.example.com","http":true,"ports":[PORT],"methods":{"GET":"read","POST":"once","PUT":"idempotent"},"headers":{"Authorization":{"secret":"TOKEN"}}},
	{"host":"b.example.com","http":true,"ports":[PORT],"paths":["/open/*"],"headers":{"X-Key":{"secret":"TOKEN"},"X-Plain":"1"}}]}`

func TestARedirectIsCheckedLikeAnyRequest(t *testing.T) {
	var port string
	var seen []string
	port = serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprintf("%s%s auth=%s key=%s plain=%s", r.Host[:1], r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.Header.Get("X-Plain")))
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, strings.ReplaceAll(to, "PORT", port), http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "arrived")
	})
	one := tools(t, port, two)["http_read"]
	for _, c := range []struct {
		to, want string
		seen     []string
	}{
		{"/x", "", []string{"a/ auth=" + token + " key= plain=", "a/x auth=" + token + " key= plain="}},
		{"http://b.example.com:PORT/open/x", "", []string{"a/ auth=" + token + " key= plain=", "b/open/x auth= key= plain=1"}},
		{"http://b.example.com:PORT/closed", "denied_path", []string{"a/ auth=" + token + " key= plain="}},
		{"http://c.example.com:PORT/", "denied_host", []string{"a/ auth=" + token + " key= plain="}},
		{"http://127.0.0.1:PORT/", "denied_host", []string{"a/ auth=" + token + " key= plain="}},
		{"https://a.example.com:1/", "denied_host", []string{"a/ auth=" + token + " key= plain="}},
		{"http://u@b.example.com:PORT/open/x", "invalid_url", []string{"a/ auth=" + token + " key= plain="}},
		{"file:///etc/passwd", "invalid_url", []string{"a/ auth=" + token + " key= plain="}},
	} {
		seen = nil
		a, err := send(t, one, args{Method: "GET", URL: "http://a.example.com:" + port + "/?to=" + url.QueryEscape(c.to)})
		switch {
		case c.want == "" && (err != nil || a.Body != "arrived" || a.URL == ""):
			t.Errorf("%s: %+v, %v", c.to, a, err)
		case c.want != "" && (err == nil || code(t, err) != c.want || !strings.Contains(err.Error(), "redirect")):
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
		if strings.Join(seen, "\n") != strings.Join(c.seen, "\n") {
			t.Errorf("%s: the servers saw\n%s", c.to, strings.Join(seen, "\n"))
		}
	}
}

func TestRedirectsHaveAnEnd(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "/again", http.StatusFound)
	})
	_, err := send(t, tools(t, port, two)["http_read"], args{Method: "GET", URL: "http://a.example.com:" + port + "/"})
	if code(t, err) != "too_many_redirects" || asked.Load() != maxRedirects+1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

func TestWhatChangesSomethingIsSentNowhereElse(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	all := tools(t, port, two)
	for name, method := range map[string]string{"http_once": "POST", "http_idempotent": "PUT"} {
		asked.Store(0)
		a, err := send(t, all[name], args{Method: method, URL: "http://a.example.com:" + port + "/", Body: "x"})
		if err != nil || a.Status != 307 || a.Headers["Location"] != "/elsewhere" || asked.Load() != 1 {
			t.Errorf("%s: %+v, %v after %d requests", name, a, err, asked.Load())
		}
	}
}

func TestALongBodyIsCut(t *testing.T) {
	for _, c := range []struct {
		name, body, want, base64, note string
		hideLength                     bool
	}{
		{"short", strings.Repeat("a", 100), strings.Repeat("a", 100), "", "", false},
		{"long", strings.Repeat("a", 5000), strings.Repeat("a", 100), "", "The body was cut: it has 5000 bytes, 100 were read.", false},
		{"endless", strings.Repeat("a", 5000), strings.Repeat("a", 100), "", "The body was cut after 100 bytes; how long it is, is not known.", true},
		{"in a character", strings.Repeat("a", 99) + "é" + strings.Repeat("b", 100), strings.Repeat("a", 99), "", "The body was cut: it has 201 bytes, 100 were read.", false},
		{"a secret", "<" + token + ">", "<[secret]>", "", "", false},
		{"a secret in the cut", strings.Repeat("a", 95) + token + strings.Repeat("b", 20), strings.Repeat("a", 95) + "[secr", "", "The body was cut: it has 127 bytes, 100 were read.", false},
		{"no text", "\xff\x00\xfe", "", "\xff\x00\xfe", "", false},
	} {
		port := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if c.hideLength {
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
			} else {
				w.Header().Set("Content-Length", fmt.Sprint(len(c.body)))
			}
			_, _ = io.WriteString(w, c.body)
		})
		a, err := send(t, tools(t, port, two)["http_read"], args{Method: "GET", URL: "http://a.example.com:" + port + "/"})
		if err != nil || a.Body != c.want || string(a.Base64) != c.base64 || a.Note != c.note {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
}

func TestWhatWasCompressedCountsAsWhatItIs(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("what is taken is %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 64 { // a bomb of 64 MB in 64 KB
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
		_ = z.Close()
	})
	a, err := send(t, tools(t, port, two)["http_read"], args{Method: "GET", URL: "http://a.example.com:" + port + "/"})
	if err != nil || len(a.Base64) != 100 || !strings.Contains(a.Note, "cut after 100 bytes") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestACallOfTheClassOnceIsSentOnce(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_ = readAll(r)
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			c.Close()
		}
	})
	all := tools(t, port, two)
	at := "http://a.example.com:" + port + "/"
	if _, err := send(t, all["http_once"], args{Method: "POST", URL: at, Body: "x"}); !errors.Is(err, tool.ErrUnknown) || asked.Load() != 1 {
		t.Errorf("once: %v after %d requests", err, asked.Load())
	}
	asked.Store(0)
	if _, err := send(t, all["http_read"], args{Method: "GET", URL: at}); err == nil || code(t, err) != "broke_off" || asked.Load() != 1 {
		t.Errorf("read: %v after %d requests", err, asked.Load())
	}
}

func TestABodyThatBreaksOffIsShownAsFarAsItCame(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "50")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	a, err := send(t, tools(t, port, two)["http_once"], args{Method: "POST", URL: "http://a.example.com:" + port + "/"})
	if err != nil || a.Status != 202 || a.Body != "half" || !strings.Contains(a.Note, "broke off") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAServerThatSaysNothingIsLeft(t *testing.T) {
	began := make(chan struct{}, 3)
	port := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_ = readAll(r)
		began <- struct{}{}
		<-r.Context().Done()
	})
	all := tools(t, port, two)
	for name, method := range map[string]string{"http_read": "GET", "http_once": "POST"} {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
		go func() {
			<-began
			cancel()
		}()
		_, err := all[name].Run(ctx, tool.Env{}, fmt.Sprintf(`{"method":%q,"url":"http://a.example.com:%s/"}`, method, port))
		if name == "http_once" && !errors.Is(err, tool.ErrUnknown) || name == "http_read" && code(t, err) != "cancelled" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASecretThatIsMissingSendsNothing(t *testing.T) {
	var asked atomic.Bool
	port := serve(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	_, err := send(t, tools(t, port, strings.Replace(two, "TOKEN", "OTHER", 1))["http_once"], args{Method: "POST", URL: "http://a.example.com:" + port + "/"})
	if code(t, err) != "secret_missing" || asked.Load() {
		t.Errorf("%v; asked: %t", err, asked.Load())
	}
}

func TestTheNameInTheCertificateIsChecked(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "safe") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
	s.StartTLS()
	t.Cleanup(s.Close)
	u, _ := url.Parse(s.URL)
	o := options()
	o.Network.Roots = x509.NewCertPool()
	o.Network.Roots.AddCert(s.Certificate())
	made, err := New(json.RawMessage(`{"allow":[{"host":"example.com","ports":[`+u.Port()+`]},{"host":"other.test","ports":[`+u.Port()+`]}]}`), o)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := made.List(t.Context())
	if a, err := send(t, list[0], args{Method: "GET", URL: "https://example.com:" + u.Port()}); err != nil || a.Body != "safe" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := send(t, list[0], args{Method: "GET", URL: "https://other.test:" + u.Port()}); err == nil || code(t, err) != "tls" {
		t.Errorf("%v", err)
	}
}
