package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

func TestFilesOfAnySize(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for _, c := range []struct {
		bytes  int
		upload bool
	}{{0, false}, {1, false}, {1 << 20, false}, {0, true}, {1<<20 + 1, true}, {100 << 20, true}} {
		data := bytes.Repeat([]byte("0123456789abcde\n"), c.bytes/16+1)[:c.bytes]
		name := fmt.Sprintf("/of %d bytes/%t.txt", c.bytes, c.upload)
		if !c.upload {
			if f, status, err := l.PutFile(ctx, s, name, data, nil); err != nil || status != http.StatusCreated || f.Bytes != int64(c.bytes) {
				t.Fatalf("%s: %d %+v, %v", name, status, f, err)
			}
		} else {
			id, err := l.Upload(ctx, s, name, data)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if f, err := l.PutUpload(ctx, s, name, id); err != nil || f.SHA256 != client.Hash(data) || f.Bytes != int64(c.bytes) {
				t.Fatalf("%s: %+v, %v", name, f, err)
			}
		}
		a, err := l.GetFile(ctx, s, name)
		if err != nil || a.Status != http.StatusOK || !bytes.Equal(a.Body, data) || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d, %d bytes, %v, %v", name, a.Status, len(a.Body), a.Header, err)
		}
		head, err := l.Send(ctx, http.MethodHead, client.FilePath(s, name), nil, nil)
		if err == nil && head.Status == http.StatusTemporaryRedirect {
			head, err = client.Fetch(ctx, http.MethodHead, head.Header.Get("Location"))
		}
		if err != nil || head.Status != http.StatusOK || head.Header.Get("Content-Length") != fmt.Sprint(c.bytes) {
			t.Errorf("HEAD %s: %d %v, %v", name, head.Status, head.Header, err)
		}
	}
	_, _, err := l.PutFile(ctx, s, "/over", make([]byte, 1<<20+1), nil)
	problem(t, err, http.StatusRequestEntityTooLarge, "too_large")
	_, err = l.Do(ctx, http.MethodPost, "/v1/sessions/"+s+"/uploads", map[string]any{"bytes": 100<<20 + 1, "sha256": client.Hash(nil)}, nil)
	problem(t, err, http.StatusRequestEntityTooLarge, "too_large")
}

// What is fetched elsewhere is an attachment of another origin, and its URL is
// the only key to it.
func TestLargeContentIsFetchedFromAnotherOrigin(t *testing.T) {
	ctx, l := open(t)
	s := session()
	page := []byte(strings.Repeat("<script>alert(1)</script>", 50_000))
	id, err := l.Upload(ctx, s, "page.html", page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.PutUpload(ctx, s, "/page.html", id); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{client.FilePath(s, "/page.html"), "/v1/sessions/" + s + "/blobs/" + client.Hash(page)} {
		a, err := l.Send(ctx, http.MethodGet, path, nil, nil)
		to := a.Header.Get("Location")
		if err != nil || a.Status != http.StatusTemporaryRedirect || to == "" || strings.HasPrefix(to, l.URL) || strings.Contains(to, l.Key) {
			t.Fatalf("%s: %d to %q, %v", path, a.Status, to, err)
		}
		b, err := client.Fetch(ctx, http.MethodGet, to)
		if err != nil || !bytes.Equal(b.Body, page) || !strings.HasPrefix(b.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d, %d bytes, %v, %v", path, b.Status, len(b.Body), b.Header, err)
		}
		forged := strings.Replace(to, client.Hash(page), client.Hash([]byte("another")), 1)
		if b, err := client.Fetch(ctx, http.MethodGet, forged); err != nil || b.Status != http.StatusForbidden {
			t.Errorf("another key under the same signature: %d, %v", b.Status, err)
		}
	}
}

func TestNamesByRawRequestLine(t *testing.T) {
	_, l := open(t)
	base := "/v1/sessions/" + session() + "/files/"
	for _, name := range []string{"C#.md", "50%.csv", "what?.txt", "a b.txt", "%2e%2e", "%41", "a+b", "naïve/日本語/🦀.txt", "a;b", "a&b=c", "...", ".hidden", "<b>.htm", `"q"`, "files", "~", "%", "e\u0301"} {
		target := base + strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
		if status, body := l.raw(t, "PUT", target, "of "+name); status != http.StatusCreated {
			t.Errorf("PUT %s: %d %s", target, status, body)
		}
		if status, body := l.raw(t, "GET", target, ""); status != http.StatusOK || body != "of "+name {
			t.Errorf("GET %s: %d %s", target, status, body)
		}
	}
	for target, why := range map[string]string{
		"a%5Cb": `\\`, "..%5C..%5Cx": `\\`, "a%00b": `\\x00`, "a%0Ab": `\\n`, "a%7Fb": `\\x7f`, "a%C2%85b": `\\u0085`, "a//b": "segment", "a/%2e%2e/b": `..`, "../x": `..`, "./x": `.`, "a/": "segment", "%2F": "segment",
	} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			status, body := l.raw(t, method, base+target, "")
			if status != http.StatusUnprocessableEntity || !strings.Contains(body, `"invalid_path"`) || !strings.Contains(body, why) {
				t.Errorf("%s %s: %d %s, want 422 that names %s", method, target, status, body, why)
			}
		}
	}
}

// The model's tools and the API have one workspace and one idea of a name.
func TestTheModelAndTheAPIShareNames(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for i, name := range []string{"/C#.md", "/50%.csv", "/what?.txt", "/日本語/🦀.txt", "/%2e%2e"} {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: "write a note to " + name + " and read it back", OperationID: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if o, err := l.Wait(ctx, s, fmt.Sprint(i)); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
		if a, err := l.GetFile(ctx, s, name); err != nil || !strings.Contains(string(a.Body), "a note") {
			t.Errorf("%s: %d %s, %v", name, a.Status, a.Body, err)
		}
	}
}

func TestPreconditionsAndRepeatedWrites(t *testing.T) {
	ctx, l := open(t)
	s := session()
	one, two := []byte("one"), []byte("two")
	tag := func(b []byte) string { return `"` + client.Hash(b) + `"` }
	with := func(name, value string) http.Header { return http.Header{name: {value}} }
	put := func(data []byte, h http.Header, status int) {
		t.Helper()
		_, got, err := l.PutFile(ctx, s, "/a", data, h)
		if status == http.StatusPreconditionFailed {
			problem(t, err, status, "precondition_failed")
		} else if err != nil || got != status {
			t.Errorf("%d, %v, want %d", got, err, status)
		}
	}
	put(one, with("If-Match", "*"), 412)
	put(one, with("If-None-Match", "*"), 201)
	put(one, with("If-None-Match", "*"), 200) // sent again: it has succeeded
	put(two, with("If-None-Match", "*"), 412)
	put(two, with("If-Match", tag(two)), 412)
	put(two, with("If-Match", tag(one)), 200)
	events, err := l.Events(ctx, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	put(two, nil, 200)
	put(two, with("If-Match", tag(two)), 200)
	if again, err := l.Events(ctx, s, 0); err != nil || len(again) != len(events) {
		t.Errorf("identical writes appended %d events, %v", len(again)-len(events), err)
	}
	if a, err := l.Send(ctx, "GET", client.FilePath(s, "/a"), with("If-None-Match", tag(two)), nil); err != nil || a.Status != http.StatusNotModified || len(a.Body) > 0 {
		t.Errorf("%d %s, %v", a.Status, a.Body, err)
	}
	if err := l.DeleteFile(ctx, s, "/a"); err != nil {
		t.Error(err)
	}
	problem(t, l.DeleteFile(ctx, s, "/a"), http.StatusNotFound, "not_found")
	_, err = l.GetFile(ctx, s, "/a")
	problem(t, err, http.StatusNotFound, "not_found")
}

func TestPartsAndConditionsOfReading(t *testing.T) {
	ctx, l := open(t)
	s := session()
	small, large := []byte("0123456789"), bytes.Repeat([]byte("0123456789"), 200_000)
	if _, _, err := l.PutFile(ctx, s, "/small.txt", small, nil); err != nil {
		t.Fatal(err)
	}
	id, err := l.Upload(ctx, s, "large.txt", large)
	if err == nil {
		_, err = l.PutUpload(ctx, s, "/large.txt", id)
	}
	if err != nil {
		t.Fatal(err)
	}
	tag, other := `"`+client.Hash(small)+`"`, `"`+client.Hash(large)+`"`
	for _, c := range []struct {
		header     []string
		status     int
		body, span string
	}{
		{nil, 200, "0123456789", ""},
		{[]string{"Range", "bytes=0-3"}, 206, "0123", "bytes 0-3/10"},
		{[]string{"Range", "bytes=7-"}, 206, "789", "bytes 7-9/10"},
		{[]string{"Range", "bytes=-2"}, 206, "89", "bytes 8-9/10"},
		{[]string{"Range", "bytes=8-99"}, 206, "89", "bytes 8-9/10"},
		{[]string{"Range", "bytes=10-"}, 200, "0123456789", ""}, // cannot be met: ignored
		{[]string{"Range", "bytes=0-1,4-5"}, 200, "0123456789", ""},
		{[]string{"Range", "lines=0-1"}, 200, "0123456789", ""},
		{[]string{"Range", "bytes=0-3", "If-Range", tag}, 206, "0123", "bytes 0-3/10"},
		{[]string{"Range", "bytes=0-3", "If-Range", other}, 200, "0123456789", ""},
		{[]string{"If-Match", tag}, 200, "0123456789", ""},
		{[]string{"If-Match", other + ", " + tag}, 200, "0123456789", ""},
		{[]string{"If-Match", "*"}, 200, "0123456789", ""},
		{[]string{"If-Match", other}, 412, "", ""},
		{[]string{"If-Match", "W/" + tag}, 412, "", ""}, // weak validators do not compare strongly
		{[]string{"If-None-Match", other}, 200, "0123456789", ""},
		{[]string{"If-None-Match", "W/" + tag}, 304, "", ""},
		{[]string{"If-None-Match", "*"}, 304, "", ""},
		{[]string{"If-None-Match", tag, "Range", "bytes=0-3"}, 304, "", ""},
		{[]string{"If-Match", other, "If-None-Match", tag}, 412, "", ""}, // If-Match comes first
	} {
		h := http.Header{}
		for i := 0; i < len(c.header); i += 2 {
			h.Set(c.header[i], c.header[i+1])
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a, _ := l.Send(ctx, method, client.FilePath(s, "/small.txt"), h, nil) // an error is a problem, which has a status too
			status, body, part := c.status, c.body, c.span
			if method == http.MethodHead {
				body, part = "", ""
				if status == 206 { // a Range is for GET alone
					status = 200
				}
			}
			if a.Status != status || status < 400 && string(a.Body) != body || a.Header.Get("Content-Range") != part || status < 400 && a.Header.Get("ETag") != tag {
				t.Errorf("%s %v: %d %q %v, want %d %q %s", method, c.header, a.Status, a.Body, a.Header, status, body, part)
			}
		}
	}
	a, err := l.Send(ctx, http.MethodGet, client.FilePath(s, "/large.txt"), http.Header{"If-None-Match": {other}}, nil)
	if err != nil || a.Status != http.StatusNotModified {
		t.Errorf("a large file that is known: %d, %v; want 304 and no redirect", a.Status, err)
	}
	_, err = l.Send(ctx, http.MethodGet, client.FilePath(s, "/large.txt"), http.Header{"If-Match": {tag}}, nil)
	problem(t, err, http.StatusPreconditionFailed, "precondition_failed")
}

func TestConditionsOfDeleting(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, _, err := l.PutFile(ctx, s, "/a", []byte("one"), nil); err != nil {
		t.Fatal(err)
	}
	tag := `"` + client.Hash([]byte("one")) + `"`
	del := func(name, value string) error {
		_, err := l.Send(ctx, http.MethodDelete, client.FilePath(s, "/a"), http.Header{name: {value}}, nil)
		return err
	}
	problem(t, del("If-Match", `"`+client.Hash([]byte("two"))+`"`), http.StatusPreconditionFailed, "precondition_failed")
	problem(t, del("If-None-Match", tag), http.StatusPreconditionFailed, "precondition_failed")
	if err := del("If-Match", tag); err != nil {
		t.Error(err)
	}
	problem(t, del("If-None-Match", tag), http.StatusNotFound, "not_found")
	problem(t, del("If-Match", tag), http.StatusPreconditionFailed, "precondition_failed") // sent again
}

// A client's files and a running turn append to the same log.
func TestFilesMayBeWrittenWhileATurnRuns(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":60,"callsPerRound":2,"toolBytes":50,"latencyMs":2}`, OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	written := 0
	for settled := false; !settled; {
		if _, _, err := l.PutFile(ctx, s, fmt.Sprintf("/mine/%d", written), []byte("x"), nil); err != nil {
			t.Fatalf("write %d: %v", written, err)
		}
		written++
		o, err := l.Operation(ctx, s, "op", 0)
		if err != nil {
			t.Fatal(err)
		}
		if settled = o.Settled(); settled && o.Status != "completed" {
			t.Errorf("the turn ended as %+v", o.Error)
		}
	}
	if files, err := l.Files(ctx, s, "/mine/", 7); err != nil || len(files) != written {
		t.Errorf("%d files of %d, %v", len(files), written, err)
	}
	if files, err := l.Files(ctx, s, "stress/", 200); err != nil || len(files) != 60 {
		t.Errorf("%d of the turn's files, %v", len(files), err)
	}
}

func TestTheDemosFileIsThereAfterAKill(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_URL") != "" {
		t.Skip("kills a stack that the test starts itself")
	}
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	c := s.Client()
	if _, err := c.Submit(ctx, "s", client.Submission{Prompt: demo, OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Wait(ctx, "s", "op"); err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	large := bytes.Repeat([]byte("kept "), 500_000)
	id, err := c.Upload(ctx, "s", "", large)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutUpload(ctx, "s", "/large", id); err != nil {
		t.Fatal(err)
	}
	before, err := c.GetFile(ctx, "s", "/codex/result.txt")
	if err != nil || !strings.Contains(string(before.Body), "README") {
		t.Fatalf("%d %s, %v", before.Status, before.Body, err)
	}
	s.Kill()
	s.Restart()
	c = s.Client()
	after, err := c.GetFile(ctx, "s", "/codex/result.txt")
	if err != nil || !bytes.Equal(after.Body, before.Body) || after.Header.Get("ETag") != before.Header.Get("ETag") {
		t.Errorf("%d %s, %v", after.Status, after.Body, err)
	}
	if a, err := c.GetFile(ctx, "s", "/large"); err != nil || !bytes.Equal(a.Body, large) {
		t.Errorf("%d, %d bytes, %v", a.Status, len(a.Body), err)
	}
	if all, err := c.Sessions(ctx, 50); err != nil || len(all) != 1 || all[0].SessionID != "s" {
		t.Errorf("%v, %v", all, err)
	}
}
