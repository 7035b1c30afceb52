package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/httpapi"
)

const operations = "/v1/sessions/s/operations"

func TestSubmitAnswers202ThenAlways200(t *testing.T) {
	w := newWorld(t)
	for i, want := range []struct {
		status   int
		accepted bool
	}{{http.StatusAccepted, true}, {http.StatusOK, false}, {http.StatusOK, false}} {
		r := w.post(operations, `{"prompt":"p","operationId":"a"}`)
		wantBody := fmt.Sprintf(`{"operationId":"a","sessionId":"s","streamId":"id-1","accepted":%t,"status":"queued","traceId":"c8d67b22429e3788188ee25757da762f","after":1}`, want.accepted)
		if r.status != want.status || strings.TrimSpace(r.body) != wantBody {
			t.Errorf("try %d: %d %s, want %d %s", i, r.status, r.body, want.status, wantBody)
		}
		if r.header["Location"] != operations+"/a" || r.header["Content-Type"] != "application/json" || r.header["Cache-Control"] != "no-store" {
			t.Errorf("try %d: headers %v", i, r.header)
		}
		if at := w.get(r.header["Location"], ""); at.status != http.StatusOK {
			t.Errorf("the Location answers %d %s", at.status, at.body)
		}
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	big := `{"prompt":"` + strings.Repeat("p", httpapi.MaxBody-len(`{"prompt":""}`)+1) + `"}`
	for name, c := range map[string]struct {
		body string
		want fault.Code
	}{
		"empty":                      {``, fault.InvalidRequest},
		"space":                      {" \n", fault.InvalidRequest},
		"not JSON":                   {`prompt=p`, fault.InvalidRequest},
		"cut off":                    {`{"prompt":"p"`, fault.InvalidRequest},
		"cut off after a name":       {`{"prompt"`, fault.InvalidRequest},
		"a name that is none":        {`{prompt:"p"}`, fault.InvalidRequest},
		"a comma too many":           {`{"prompt":"p",}`, fault.InvalidRequest},
		"an array":                   {`[{"prompt":"p"}]`, fault.InvalidRequest},
		"a string":                   {`"p"`, fault.InvalidRequest},
		"null":                       {`null`, fault.InvalidRequest},
		"two values":                 {`{"prompt":"p"}{"prompt":"q"}`, fault.InvalidRequest},
		"something behind it":        {`{"prompt":"p"} x`, fault.InvalidRequest},
		"a brace behind it":          {`{"prompt":"p"}}`, fault.InvalidRequest},
		"a bracket behind it":        {`{"prompt":"p"}]`, fault.InvalidRequest},
		"an unknown member":          {`{"prompt":"p","promt":"q"}`, fault.InvalidRequest},
		"a name in another case":     {`{"Prompt":"p"}`, fault.InvalidRequest},
		"an id in another case":      {`{"prompt":"p","operationid":"a"}`, fault.InvalidRequest},
		"the Kelvin sign for a k":    {`{"prompt":"p","\u212aey":"a"}`, fault.InvalidRequest},
		"a member twice":             {`{"prompt":"a","prompt":"b"}`, fault.InvalidRequest},
		"a member twice, the same":   {`{"prompt":"a","prompt":"a"}`, fault.InvalidRequest},
		"a member twice, escaped":    {`{"prompt":"a","pr\u006fmpt":"b"}`, fault.InvalidRequest},
		"invalid UTF-8":              {"{\"prompt\":\"\xff\"}", fault.InvalidRequest},
		"half a character":           {"{\"prompt\":\"\xf0\x9f\"}", fault.InvalidRequest},
		"a raw control character":    {"{\"prompt\":\"a\x00b\"}", fault.InvalidRequest},
		"a prompt that is a number":  {`{"prompt":1}`, fault.InvalidRequest},
		"a prompt that is an object": {`{"prompt":{"text":"p"}}`, fault.InvalidRequest},
		"a prompt that is a list":    {`{"prompt":["p"]}`, fault.InvalidRequest},
		"an id that is a number":     {`{"prompt":"p","operationId":7}`, fault.InvalidRequest},
		"an agent that is true":      {`{"prompt":"p","agent":true}`, fault.InvalidRequest},
		"an id that is empty":        {`{"prompt":"p","operationId":""}`, fault.InvalidRequest},
		"an agent that is empty":     {`{"prompt":"p","agent":""}`, fault.InvalidRequest},
		"an id with a slash":         {`{"prompt":"p","operationId":"a/b"}`, fault.InvalidRequest},
		"no prompt":                  {`{}`, fault.EmptyPrompt},
		"no prompt but null":         {`{"prompt":null}`, fault.EmptyPrompt},
		"a blank prompt":             {`{"prompt":" \u2003\n"}`, fault.EmptyPrompt},
		"an agent that nobody knows": {`{"prompt":"p","agent":"nobody"}`, fault.UnknownAgent},
		"a byte over a mebibyte":     {big, fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.problem(w.post(operations, c.body), c.want)
			w.problem(w.do(request{method: "POST", path: operations, key: key, body: base64.StdEncoding.EncodeToString([]byte(c.body)), base64: true}), c.want)
			w.problem(w.get("/v1/sessions/s/events", ""), fault.NotFound) // nothing was stored
		})
	}
}

func TestBodiesThatAreAccepted(t *testing.T) {
	for name, body := range map[string]string{
		"plain":                  `{"prompt":"p"}`,
		"with space around":      " \r\n\t{ \"prompt\" : \"p\" }\n ",
		"null is left out":       `{"prompt":"p","operationId":null,"agent":null}`,
		"escapes":                `{"prompt":"\u0000\ud83e\udd80 \" \\"}`,
		"an escaped member name": `{"pr\u006fmpt":"p"}`,
		"every member":           `{"agent":"stress","operationId":"a","prompt":"p"}`,
		"a mebibyte":             `{"prompt":"p"}` + strings.Repeat(" ", httpapi.MaxBody-len(`{"prompt":"p"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if r := w.post(operations, body); r.status != http.StatusAccepted {
				t.Errorf("%d %s", r.status, r.body)
			}
			r := w.do(request{method: "POST", path: "/v1/sessions/other/operations", key: key, body: base64.StdEncoding.EncodeToString([]byte(body)), base64: true})
			if r.status != http.StatusAccepted {
				t.Errorf("as base64: %d %s", r.status, r.body)
			}
		})
	}
}

func TestIdempotencyKeyIsAnotherNameForOperationID(t *testing.T) {
	for name, c := range map[string]struct {
		body, header string
		want         fault.Code // none if accepted as operation a
	}{
		"alone":            {`{"prompt":"p"}`, "a", ""},
		"both, equal":      {`{"prompt":"p","operationId":"a"}`, "a", ""},
		"both, different":  {`{"prompt":"p","operationId":"a"}`, "b", fault.InvalidRequest},
		"other case":       {`{"prompt":"p","operationId":"a"}`, "A", fault.InvalidRequest},
		"empty":            {`{"prompt":"p"}`, "", fault.InvalidRequest},
		"sent twice":       {`{"prompt":"p"}`, "a,a", fault.InvalidRequest},
		"that is no id":    {`{"prompt":"p"}`, "a b", fault.InvalidRequest},
		"that is too long": {`{"prompt":"p"}`, strings.Repeat("a", 129), fault.InvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.do(request{method: "POST", path: operations, key: key, body: c.body, headers: map[string]string{"idempotency-key": c.header}})
			if c.want != "" {
				w.problem(r, c.want)
				return
			}
			if r.status != http.StatusAccepted || r.header["Location"] != operations+"/a" {
				t.Errorf("%d %s at %s", r.status, r.body, r.header["Location"])
			}
			if again := w.post(operations, `{"prompt":"p","operationId":"a"}`); again.status != http.StatusOK {
				t.Errorf("by its other name: %d %s", again.status, again.body)
			}
			w.problem(w.post(operations, `{"prompt":"q","operationId":"a"}`), fault.OperationMismatch)
		})
	}
}

// Whatever is sent: an answer from the table, and what is accepted is stored as
// it was meant.
func FuzzSubmitBody(f *testing.F) {
	for _, s := range []string{`{"prompt":"p"}`, `{"prompt":"p","operationId":"a"}`, `{"Prompt":"p"}`, `{"prompt":"a","prompt":"b"}`, `{"prompt":"a"}]`, `[`, "{\"prompt\":\"\xff\"}", `{"prompt":"\ud800"}`,
		`{"prompt":"p","input":[{"type":"file","path":"/a"}]}`, `{"prompt":"p","input":[{"type":"file","upload":"u1.","name":"n"},null]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		w := newWorld(t)
		r := w.do(request{method: "POST", path: operations, key: key, body: base64.StdEncoding.EncodeToString(body), base64: true})
		switch r.status {
		case http.StatusAccepted:
			var sent struct{ Prompt string }
			if err := json.Unmarshal(body, &sent); err != nil || !utf8.Valid(body) {
				t.Fatalf("%q was accepted: %v", body, err)
			}
			var stored struct{ Prompt string }
			if err := json.Unmarshal([]byte(w.get(r.header["Location"], "").body), &stored); err != nil || !strings.HasPrefix(sent.Prompt, stored.Prompt) {
				t.Fatalf("%q was stored as %q, %v", sent.Prompt, stored.Prompt, err)
			}
		case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge, http.StatusNotFound:
		default:
			t.Fatalf("%q: %d %s", body, r.status, r.body)
		}
	})
}
