package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

const filesPath = "/v1/sessions/s/files/"

func (w *world) put(name, body string, headers map[string]string) response {
	w.t.Helper()
	r := request{method: "PUT", path: filesPath + name, key: key, body: base64.StdEncoding.EncodeToString([]byte(body)), base64: true, headers: headers}
	return w.do(r)
}

// lastSeq is the session's.
func (w *world) lastSeq() uint64 {
	w.t.Helper()
	var p struct{ LastSeq uint64 }
	if err := json.Unmarshal([]byte(w.get("/v1/sessions/s/events", "").body), &p); err != nil {
		w.t.Fatal(err)
	}
	return p.LastSeq
}

func TestAFileIsItsBytes(t *testing.T) {
	w := newWorld(t)
	for i, data := range []string{"", "hello", "a\x00b\xff", strings.Repeat("x", 16<<10), strings.Repeat("y", 16<<10+1), strings.Repeat("\xfe", session.MaxFile)} {
		name := fmt.Sprint("f", i, ".txt")
		if r := w.put(name, data, nil); r.status != http.StatusCreated || r.header["Etag"] != `"`+hashOf(data)+`"` {
			t.Fatalf("%d bytes: %d %v %s", len(data), r.status, r.header, r.body)
		}
		r := w.get(filesPath+name, "")
		if r.status != http.StatusOK || r.body != data || r.header["Etag"] != `"`+hashOf(data)+`"` || r.header["Content-Type"] != "text/plain; charset=utf-8" {
			t.Errorf("%d bytes: %d %v, %d bytes", len(data), r.status, r.header, len(r.body))
		}
	}
	r := w.put("big", strings.Repeat("z", session.MaxFile+1), nil)
	w.problem(r, fault.TooLarge)
	if !strings.Contains(r.body, "uploads") {
		t.Errorf("%s does not say where to", r.body)
	}
}

func TestTheFirstFileOpensItsSession(t *testing.T) {
	w := newWorld(t)
	w.problem(w.get("/v1/sessions/s/files", ""), fault.NotFound)
	w.problem(w.do(request{method: "DELETE", path: filesPath + "a", key: key}), fault.NotFound)
	w.put("a", "1", nil)
	if r := w.get("/v1/sessions", ""); !strings.Contains(r.body, `"sessionId":"s"`) {
		t.Errorf("%s", r.body)
	}
	if r := w.get("/v1/sessions/s/operations", ""); r.status != http.StatusOK || !strings.Contains(r.body, `"operations":[]`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.post(operations, `{"prompt":"p"}`); r.status != http.StatusAccepted {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.get(filesPath+"a", ""); r.body != "1" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestPuttingTheSameAgainAppendsNothing(t *testing.T) {
	w := newWorld(t)
	w.put("a.md", "text", nil)
	last := w.lastSeq()
	if r := w.put("a.md", "text", nil); r.status != http.StatusOK || w.lastSeq() != last {
		t.Errorf("%d, %d events, want %d", r.status, w.lastSeq(), last)
	}
	for i, change := range []func() response{
		func() response { return w.put("a.md", "text", map[string]string{"content-type": "text/plain"}) },
		func() response { return w.put("a.md", "other", map[string]string{"content-type": "text/plain"}) },
	} {
		if r := change(); r.status != http.StatusOK || w.lastSeq() != last+uint64(i)+1 {
			t.Errorf("%d: %d, %d events", i, r.status, w.lastSeq())
		}
	}
}

func TestPreconditionsOfAWrite(t *testing.T) {
	w := newWorld(t)
	one, two := `"`+hashOf("1")+`"`, `"`+hashOf("2")+`"`
	for i, c := range []struct {
		method, header, value, body string
		status                      int
	}{
		{"PUT", "if-match", "*", "1", 412},
		{"PUT", "if-match", one, "1", 412},
		{"DELETE", "if-match", "*", "", 412},
		{"PUT", "if-none-match", "*", "1", 201},
		{"PUT", "if-none-match", "*", "1", 200}, // sent again: it has succeeded
		{"PUT", "if-none-match", "*", "2", 412},
		{"PUT", "if-match", two, "2", 412},
		{"PUT", "if-match", "W/" + one, "2", 412},
		{"PUT", "if-match", strings.ToUpper(one), "2", 412},
		{"PUT", "if-match", two + ", " + one, "2", 200},
		{"PUT", "if-match", "*", "1", 200},
		{"PUT", "if-none-match", one, "2", 412},
		{"PUT", "if-none-match", two, "2", 200},
		{"DELETE", "if-match", one, "", 412},
		{"DELETE", "if-match", two, "", 204},
		{"DELETE", "accept", "*/*", "", 404},
		{"PUT", "if-none-match", "*", "3", 201},
	} {
		r := w.do(request{method: c.method, path: filesPath + "a", key: key, body: c.body, headers: map[string]string{c.header: c.value}})
		if r.status != c.status {
			t.Errorf("%d: %s with %s: %s: %d %s, want %d", i, c.method, c.header, c.value, r.status, r.body, c.status)
		}
		if r.status == 412 {
			w.problem(r, fault.PreconditionFailed)
		}
	}
}

func TestReadingWhatIsKnownOrAPart(t *testing.T) {
	w := newWorld(t)
	w.put("a.txt", "hello", nil)
	tag := `"` + hashOf("hello") + `"`
	for i, c := range []struct {
		header, value, body string
		status              int
	}{
		{"if-none-match", tag, "", 304},
		{"if-none-match", `"x", W/` + tag, "", 304},
		{"if-none-match", "*", "", 304},
		{"if-none-match", `"x"`, "hello", 200},
		{"range", "bytes=1-2", "el", 206},
		{"range", "bytes=1-", "ello", 206},
		{"range", "bytes=-2", "lo", 206},
		{"range", "bytes=-9", "hello", 206},
		{"range", "bytes=4-100", "o", 206},
		{"range", "bytes=5-", "hello", 200},
		{"range", "bytes=2-1", "hello", 200},
		{"range", "bytes=0-0,2-2", "hello", 200},
		{"range", "lines=1-2", "hello", 200},
		{"range", "bytes=-0", "hello", 200},
		{"range", "bytes=+1-2", "hello", 200},
	} {
		r := w.do(request{method: "GET", path: filesPath + "a.txt", key: key, headers: map[string]string{c.header: c.value}})
		if r.status != c.status || r.body != c.body || r.header["Etag"] != tag {
			t.Errorf("%d: %s: %s: %d %q %v", i, c.header, c.value, r.status, r.body, r.header)
		}
	}
	r := w.do(request{method: "GET", path: filesPath + "a.txt", key: key, headers: map[string]string{"range": "bytes=1-2", "if-range": `"old"`}})
	if r.status != http.StatusOK {
		t.Errorf("If-Range of another version: %d", r.status)
	}
	w.problem(w.do(request{method: "GET", path: filesPath + "a.txt", key: key, headers: map[string]string{"if-match": `"old"`}}), fault.PreconditionFailed)
}

// A page that an agent or a user wrote must not run with the API as its origin.
func TestUsersBytesNeverRunInTheAPIsOrigin(t *testing.T) {
	w := newWorld(t)
	for name, attachment := range map[string]bool{
		"a.html": true, "a.svg": true, "a.xml": true, "a.js": true, "a.HTML": true, "a.pdf": true, "a.unknown": false, "page": true,
		"a.txt": false, "a.md": false, "a.png": false, "a.json": false, "a.csv": false,
	} {
		body := "text"
		if name == "page" {
			body = "<!DOCTYPE html><script>1</script>"
		}
		w.put(name, body, nil)
		r := w.get(filesPath+name, "")
		if r.status != 200 || r.header["X-Content-Type-Options"] != "nosniff" || r.header["Content-Security-Policy"] != "sandbox; default-src 'none'" {
			t.Errorf("%s: %d %v", name, r.status, r.header)
		}
		if got := strings.HasPrefix(r.header["Content-Disposition"], "attachment"); got != attachment {
			t.Errorf("%s, %s: attachment is %t", name, r.header["Content-Type"], got)
		}
	}
	w.put("x", "text", map[string]string{"content-type": "TEXT/HTML; charset=utf-8"})
	if r := w.get(filesPath+"x", ""); r.header["Content-Disposition"] != "attachment" || r.header["Content-Type"] != "TEXT/HTML; charset=utf-8" {
		t.Errorf("%v", r.header)
	}
	for _, bad := range []string{"nothing", "text/plain\r\nX: y", "text/" + strings.Repeat("x", 200), "text/é", "/"} {
		w.problem(w.put("y", "text", map[string]string{"content-type": bad}), fault.InvalidRequest)
	}
	w.put("form.csv", "a,b", map[string]string{"content-type": "application/x-www-form-urlencoded"})
	if r := w.get(filesPath+"form.csv", ""); r.header["Content-Type"] != "text/csv; charset=utf-8" {
		t.Errorf("what curl says of any body was kept: %v", r.header)
	}
}

func TestAnyOrdinaryNameIsAFilesName(t *testing.T) {
	w := newWorld(t)
	names := []string{"C#.md", "50%.csv", "what?.txt", "a b.txt", "%2e%2e/x", "%", "a+b", "naïve/日本語/🦀.txt", "e\u0301", "a;b=c", "a&b", "...", "~", "files/files", "{path...}", " ", "a:b@c", `"`, "'", "[::1]", "<b>"}
	for _, n := range names {
		if r := w.put(n, "of "+n, nil); r.status != http.StatusCreated {
			t.Errorf("%q: %d %s", n, r.status, r.body)
		}
	}
	for _, n := range names {
		if r := w.get(filesPath+n, ""); r.body != "of "+n {
			t.Errorf("%q: %d %q", n, r.status, r.body)
		}
	}
	for bad, why := range map[string]string{`a\b`: `'\\\\'`, "a\x00": `\\x00`, "a\nb": `\\n`, "a//b": "segment", "a/../b": `..`, "./a": `.`, "": "segment", "a/": "segment", "\xff": "UTF-8", strings.Repeat("n", 1024): "1025 bytes"} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			r := w.do(request{method: method, path: filesPath + bad, key: key})
			w.problem(r, fault.InvalidPath)
			if !strings.Contains(r.body, why) {
				t.Errorf("%s %.50q: %s does not say %s", method, bad, r.body, why)
			}
		}
	}
}

func TestFilesAreListedByPathPageByPage(t *testing.T) {
	w := newWorld(t)
	for _, n := range []string{"b", "a/x", "a/y", "a", "c#1", "ab"} {
		w.put(n, n, nil)
	}
	w.do(request{method: "DELETE", path: filesPath + "b", key: key})
	for prefix, want := range map[string]string{"": "/a /a/x /a/y /ab /c#1", "a": "/a /a/x /a/y /ab", "/a/": "/a/x /a/y", "/b": "", "c#": "/c#1"} {
		var got []string
		q := url.Values{"prefix": {prefix}, "limit": {"2"}}
		for more := true; more; {
			var p struct {
				Files      []struct{ Path, SHA256, ContentType string }
				NextCursor string
			}
			r := w.get("/v1/sessions/s/files", q.Encode())
			if err := json.Unmarshal([]byte(r.body), &p); err != nil || r.status != 200 || len(p.Files) > 2 {
				t.Fatalf("%d %s, %v", r.status, r.body, err)
			}
			for _, f := range p.Files {
				got = append(got, f.Path)
			}
			more = p.NextCursor != ""
			q.Set("cursor", p.NextCursor)
			if link := r.header["Link"]; more != strings.Contains(link, "cursor=") {
				t.Errorf("Link %q with nextCursor %q", link, p.NextCursor)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", prefix, s, want)
		}
	}
}
