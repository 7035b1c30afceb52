package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

type upload struct {
	UploadID, URL, ExpiresAt string
	Present                  bool
	Headers                  map[string]string
}

// announce asks for an upload of data to session s.
func (w *world) announce(data string, more string) upload {
	w.t.Helper()
	r := w.post("/v1/sessions/s/uploads", fmt.Sprintf(`{"bytes":%d,"sha256":"%s"%s}`, len(data), hashOf(data), more))
	var u upload
	if err := json.Unmarshal([]byte(r.body), &u); err != nil || r.status != http.StatusCreated || u.UploadID == "" {
		w.t.Fatalf("%d %s, %v", r.status, r.body, err)
	}
	return u
}

// uploaded does what a client does with the URL.
func (w *world) uploaded(data, more string) upload {
	w.t.Helper()
	u := w.announce(data, more)
	key := eventstore.BlobKey{Stream: eventstore.Stream{Tenant: "acme", Session: "s"}, SHA256: hashOf(data)}
	if !u.Present {
		if err := w.blobs.PutBlob(w.t.Context(), key, "", []byte(data)); err != nil {
			w.t.Fatal(err)
		}
	}
	return u
}

func TestAnUploadGoesToWhereTheContentWillStand(t *testing.T) {
	w := newWorld(t)
	u := w.announce("hello", `,"name":"notes.md"`)
	if u.Present || u.ExpiresAt == "" || u.Headers["content-type"] != "text/markdown; charset=utf-8" || !strings.HasPrefix(u.URL, "https://blobs.example/acme/s/blobs/"+hashOf("hello")) {
		t.Errorf("%+v", u)
	}
	if again := w.announce("hello", `,"name":"notes.md"`); again.UploadID != u.UploadID {
		t.Errorf("the same has two ids: %s and %s", u.UploadID, again.UploadID)
	}
	w.uploaded("hello", "")
	if there := w.announce("hello", ""); !there.Present || there.URL != "" || there.ExpiresAt != "" {
		t.Errorf("%+v", there)
	}
	if empty := w.announce("", ""); !empty.Present {
		t.Errorf("%+v", empty)
	}
	for body, want := range map[string]fault.Code{
		`{"bytes":1}`: fault.InvalidRequest, `{"sha256":"` + hashOf("") + `"}`: fault.InvalidRequest,
		`{"bytes":1,"sha256":"` + strings.ToUpper(hashOf("")) + `"}`: fault.InvalidRequest, `{"bytes":1,"sha256":"ab"}`: fault.InvalidRequest,
		`{"bytes":-1,"sha256":"` + hashOf("") + `"}`: fault.InvalidRequest, `{"bytes":1.5,"sha256":"` + hashOf("") + `"}`: fault.InvalidRequest,
		`{"bytes":1,"sha256":"` + hashOf("") + `","contentType":"x"}`: fault.InvalidRequest,
		`{"bytes":104857601,"sha256":"` + hashOf("") + `"}`:           fault.TooLarge,
		`{"bytes":6,"sha256":"` + hashOf("hello") + `"}`:              fault.UploadMissing, // 5 bytes have this hash
	} {
		w.problem(w.post("/v1/sessions/s/uploads", body), want)
	}
}

func TestAPromptIsTheSameHoweverItArrives(t *testing.T) {
	for _, n := range []int{5, 16 << 10, 16<<10 + 1, 300_000} {
		prompt := strings.Repeat("é", n/2) + strings.Repeat("p", n%2)
		w := newWorld(t)
		u := w.announce(prompt, "")
		w.problem(w.post(operations, `{"operationId":"a","promptUpload":"`+u.UploadID+`"}`), fault.UploadMissing)
		w.uploaded(prompt, "")
		for i, body := range []string{`{"operationId":"a","promptUpload":"` + u.UploadID + `"}`, `{"operationId":"a","prompt":"` + prompt + `"}`, `{"operationId":"a","promptUpload":"` + u.UploadID + `"}`} {
			if r := w.post(operations, body); r.status != map[bool]int{true: 202, false: 200}[i == 0] {
				t.Errorf("%d bytes, %d: %d %s", n, i, r.status, r.body)
			}
		}
		if r := w.post(operations, `{"operationId":"b","prompt":"`+prompt+`"}`); r.status != 202 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		events, _ := w.follow("/v1/sessions/s/events", "")
		var a, b map[string]json.RawMessage
		for i, into := range []*map[string]json.RawMessage{&a, &b} {
			var e struct{ Data json.RawMessage }
			if json.Unmarshal([]byte(events[i+1]), &e) != nil || json.Unmarshal(e.Data, into) != nil {
				t.Fatal(events[i+1])
			}
		}
		if len(a) < 3 || string(a["prompt"]) != string(b["prompt"]) || string(a["preview"]) != string(b["preview"]) || string(a["fingerprint"]) != string(b["fingerprint"]) {
			t.Errorf("%d bytes leave different events", n)
		}
		var o struct {
			Prompt      string
			PromptBytes int
		}
		_ = json.Unmarshal([]byte(w.get(operations+"/a", "").body), &o)
		if want := min(4096, len([]rune(prompt))); len([]rune(o.Prompt)) != want || o.PromptBytes != n {
			t.Errorf("%d characters of %d bytes are shown, want %d of %d", len([]rune(o.Prompt)), o.PromptBytes, want, n)
		}
	}
}

func TestUploadsThatAreNoPrompt(t *testing.T) {
	w := newWorld(t)
	good := w.uploaded(strings.Repeat("good ", 10_000), "").UploadID
	for name, c := range map[string]struct {
		body string
		want fault.Code
	}{
		"blank":         {`{"promptUpload":"` + w.uploaded(" \n", "").UploadID + `"}`, fault.EmptyPrompt},
		"long, blank":   {`{"promptUpload":"` + w.uploaded(strings.Repeat(" ", 64<<10), "").UploadID + `"}`, fault.EmptyPrompt},
		"empty":         {`{"promptUpload":"` + w.announce("", "").UploadID + `"}`, fault.EmptyPrompt},
		"not text":      {`{"promptUpload":"` + w.uploaded("a\xffb", "").UploadID + `"}`, fault.InvalidRequest},
		"long, no text": {`{"promptUpload":"` + w.uploaded(strings.Repeat("a\xffb", 30_000), "").UploadID + `"}`, fault.InvalidRequest},
		"both":          {`{"prompt":"p","promptUpload":"` + good + `"}`, fault.InvalidRequest},
		"no id":         {`{"promptUpload":""}`, fault.InvalidRequest},
		"version":       {`{"promptUpload":"u2` + good[2:] + `"}`, fault.InvalidRequest},
		"cut":           {`{"promptUpload":"` + good[:40] + `"}`, fault.InvalidRequest},
		"padded":        {`{"promptUpload":"` + good + `="}`, fault.InvalidRequest},
		"broken":        {`{"promptUpload":"` + good[:10] + `\n` + good[10:] + `"}`, fault.InvalidRequest},
		"null":          {`{"promptUpload":null}`, fault.EmptyPrompt},
	} {
		r := w.post(operations, c.body)
		if !t.Run(name, func(t *testing.T) { w.problem(r, c.want) }) {
			t.Log(name, r.body)
		}
	}
	if r := w.post(operations, `{"promptUpload":"`+good+`"}`); r.status != 202 {
		t.Errorf("%d %s", r.status, r.body)
	}
	// A character that the page's end cuts is no reason to refuse.
	if r := w.post(operations, `{"promptUpload":"`+w.uploaded("a"+strings.Repeat("é", 64<<10), "").UploadID+`"}`); r.status != 202 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAFileByUploadIsTheFile(t *testing.T) {
	w := newWorld(t)
	w.put("first", "x", nil)
	small, large := "small <b>", strings.Repeat("large ", 200_000)
	for _, c := range []struct{ name, data, more, contentType, wantType string }{
		{"empty", "", "", "", "text/plain; charset=utf-8"},
		{"a.md", small, "", "", "text/markdown; charset=utf-8"},
		{"b", small, `,"contentType":"text/html"`, "", "text/html"},
		{"c", small, `,"contentType":"text/html"`, "text/csv", "text/csv"},
		{"d", large, "", "", "text/plain; charset=utf-8"},
	} {
		u := w.uploaded(c.data, c.more)
		headers := map[string]string{}
		if c.contentType != "" {
			headers["content-type"] = c.contentType
		}
		put := request{method: "PUT", path: filesPath + c.name, query: "upload=" + u.UploadID, key: key, headers: headers}
		if r := w.do(put); r.status != http.StatusCreated || !strings.Contains(r.body, c.wantType) {
			t.Errorf("%s: %d %s", c.name, r.status, r.body)
		}
		last := w.lastSeq()
		if r := w.do(put); r.status != http.StatusOK || w.lastSeq() != last {
			t.Errorf("%s, again: %d %s", c.name, r.status, r.body)
		}
		if r := w.get(filesPath+c.name, ""); len(c.data) <= session.MaxFile && (r.body != c.data || r.header["Content-Type"] != c.wantType) {
			t.Errorf("%s: %d %v", c.name, r.status, r.header)
		}
	}
	for query, want := range map[string]fault.Code{"upload=": fault.InvalidRequest, "upload=u1.x": fault.InvalidRequest, "upload=%zz": fault.InvalidRequest, "upload=" + w.announce("nobody sent this", "").UploadID: fault.UploadMissing} {
		w.problem(w.do(request{method: "PUT", path: filesPath + "x", query: query, key: key}), want)
	}
	w.problem(w.do(request{method: "PUT", path: filesPath + "x", query: "upload=" + w.uploaded(small, "").UploadID, key: key, body: "and a body"}), fault.InvalidRequest)
}

func TestLargeFilesAndBlobsAreFetchedElsewhere(t *testing.T) {
	w := newWorld(t)
	large := strings.Repeat("<p>", 500_000)
	w.do(request{method: "PUT", path: filesPath + "dir/é#.html", query: "upload=" + w.uploaded(large, "").UploadID, key: key})
	for path, disposition := range map[string]string{filesPath + "dir/é#.html": "attachment; filename*=utf-8''%C3%A9#.html", "/v1/sessions/s/blobs/" + hashOf(large): "attachment"} {
		for _, method := range []string{"GET", "HEAD"} {
			r := w.do(request{method: method, path: path, key: key})
			to, err := url.Parse(r.header["Location"])
			if err != nil || r.status != http.StatusTemporaryRedirect || to.Path != "/acme/s/blobs/"+hashOf(large) {
				t.Fatalf("%s %s: %d %v", method, path, r.status, r.header)
			}
			if q := to.Query(); q.Get("method") != method || q.Get("disposition") != disposition || q.Get("life") != "5m0s" || !strings.HasPrefix(q.Get("type"), "text/html") {
				t.Errorf("%s %s: %v", method, path, q)
			}
			if r.header["Cache-Control"] != "no-store" || strings.Contains(r.header["Location"]+r.body, key) {
				t.Errorf("%v", r.header)
			}
		}
	}
	if r := w.do(request{method: "GET", path: filesPath + "dir/é#.html", key: key, headers: map[string]string{"if-none-match": `"` + hashOf(large) + `"`}}); r.status != http.StatusNotModified {
		t.Errorf("%d", r.status)
	}
	for hash, want := range map[string]fault.Code{hashOf("nothing"): fault.NotFound, "ab": fault.InvalidRequest, strings.ToUpper(hashOf(large)): fault.InvalidRequest, hashOf(large) + "0": fault.InvalidRequest} {
		w.problem(w.get("/v1/sessions/s/blobs/"+hash, ""), want)
	}
	w.problem(w.get("/v1/sessions/other/blobs/"+hashOf(large), ""), fault.NotFound)
}
