package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/fault"
)

func TestAPromptWithFiles(t *testing.T) {
	w := newWorld(t)
	w.put("a.txt", "hello", nil)
	large := strings.Repeat("\x89PNG", 8<<10)
	body := fmt.Sprintf(`{"prompt":"p","operationId":"op","input":[{"type":"file","path":"/a.txt"},{"upload":%q,"name":"b.png","type":"file"}]}`, w.uploaded(large, "").UploadID)
	for i, status := range []int{http.StatusAccepted, http.StatusOK} {
		if r := w.post(operations, body); r.status != status {
			t.Fatalf("%d: %d %s, want %d", i, r.status, r.body, status)
		}
		w.do(request{method: "DELETE", path: filesPath + "a.txt", key: key}) // the same request all the same
	}
	var o struct{ Input []map[string]any }
	r := w.get(operations+"/op", "")
	if err := json.Unmarshal([]byte(r.body), &o); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`[{"bytes":5,"name":"a.txt","path":"/a.txt","type":"text/plain; charset=utf-8"},{"bytes":%d,"name":"b.png","ref":{"bytes":%d,"sha256":%q,"type":"image/png"},"type":"image/png"}]`, len(large), len(large), hashOf(large))
	if got, err := json.Marshal(o.Input); err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if r := w.get("/v1/sessions/s/blobs/"+hashOf(large), ""); r.status != http.StatusTemporaryRedirect {
		t.Errorf("the content: %d %s", r.status, r.body)
	}
	w.problem(w.post(operations, strings.Replace(body, "a.txt", "b.txt", 1)), fault.OperationMismatch)
}

func TestInputThatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.put("a", "hello", nil)
	before := w.lastSeq()
	for input, want := range map[string]fault.Code{
		`{}`:                                  fault.InvalidRequest,
		`"/a"`:                                fault.InvalidRequest,
		`["/a"]`:                              fault.InvalidRequest,
		`[null]`:                              fault.InvalidRequest,
		`[[]]`:                                fault.InvalidRequest,
		`[{}]`:                                fault.InvalidRequest,
		`[{"type":"file"}]`:                   fault.InvalidRequest,
		`[{"path":"/a"}]`:                     fault.InvalidRequest,
		`[{"type":"text","text":"hi"}]`:       fault.InvalidRequest,
		`[{"type":"text","path":"/a"}]`:       fault.InvalidRequest,
		`[{"type":"file","path":""}]`:         fault.InvalidRequest,
		`[{"type":"file","path":7}]`:          fault.InvalidRequest,
		`[{"type":"file","Path":"/a"}]`:       fault.InvalidRequest,
		`[{"type":"file","path":"/a","x":1}]`: fault.InvalidRequest,
		`[{"type":"file","path":"/a","path":"/a"}]`:                                               fault.InvalidRequest,
		`[{"type":"file","path":"/a","name":"b"}]`:                                                fault.InvalidRequest,
		`[{"type":"file","upload":"x"}]`:                                                          fault.InvalidRequest,
		`[{"type":"file","path":"/a\\b"}]`:                                                        fault.InvalidPath,
		`[{"type":"file","path":"/none"}]`:                                                        fault.NotFound,
		`[` + strings.Repeat(`{"type":"file","path":"/a"},`, 16) + `{"type":"file","path":"/a"}]`: fault.TooLarge,
	} {
		r := w.post(operations, `{"prompt":"p","operationId":"op","input":`+input+`}`)
		w.problem(r, want)
	}
	if n := w.lastSeq(); n != before {
		t.Errorf("%d events were stored", n-before)
	}
	for _, none := range []string{`null`, `[]`} {
		if r := w.post(operations, `{"prompt":"p","operationId":"op","input":`+none+`}`); r.status >= 300 {
			t.Errorf("%s: %d %s, want it to be no input", none, r.status, r.body)
		}
	}
	if r := w.post(operations, `{"prompt":"p","operationId":"op"}`); r.status != http.StatusOK {
		t.Errorf("without any: %d %s, want the same request", r.status, r.body)
	}
}

// A part that is refused is named, and what to do is said.
func TestInputProblemsSayWhichPart(t *testing.T) {
	w := newWorld(t)
	w.put("a", "hello", nil)
	for bad, want := range map[string]string{`{"type":"text"}`: "file", `{"type":"file","path":"/none"}`: "PUT it", `{"type":"file"}`: "path", `7`: "object"} {
		r := w.post(operations, `{"prompt":"p","input":[{"type":"file","path":"/a"},`+bad+`]}`)
		if !strings.Contains(r.body, "input 1") || !strings.Contains(r.body, want) {
			t.Errorf("%s: %s, want input 1 and %q", bad, r.body, want)
		}
	}
}

func TestASessionByItself(t *testing.T) {
	w := newWorld(t)
	w.problem(w.get("/v1/sessions/s", ""), fault.NotFound)
	w.post(operations, `{"prompt":"p"}`)
	var one, listed struct {
		SessionID, Agent   string
		AsOfSeq, Unsettled int
		Usage              map[string]any
	}
	r := w.get("/v1/sessions/s", "")
	if err := json.Unmarshal([]byte(r.body), &one); err != nil || r.status != http.StatusOK || one.SessionID != "s" || one.Agent != "demo" || one.AsOfSeq != 2 || one.Unsettled != 1 || one.Usage["costUsd"] != "0" {
		t.Errorf("%d %s, %v", r.status, r.body, err)
	}
	var page struct{ Sessions []json.RawMessage }
	if err := json.Unmarshal([]byte(w.get("/v1/sessions", "").body), &page); err != nil || len(page.Sessions) != 1 || json.Unmarshal(page.Sessions[0], &listed) != nil {
		t.Fatalf("%v, %v", page, err)
	}
	if fmt.Sprint(one) != fmt.Sprint(listed) {
		t.Errorf("listed it is %+v, by itself %+v", listed, one)
	}
}
