package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"windlass/tests/client"
)

// given is a file as a snapshot and the transcript show it.
type given struct {
	Name, Path, Type string
	Bytes            int64
	Ref              *client.Ref
}

// png begins like one; nobody here looks further.
var png = append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{0, 0xff, 7}, 10_000)...)

// ask submits a prompt with input, as JSON.
func (l lane) ask(t *testing.T, session, id, input string) (r client.Receipt, err error) {
	t.Helper()
	body := fmt.Sprintf(`{"operationId":%q,"prompt":"what is it?","input":%s}`, id, input)
	_, err = l.Raw(t.Context(), http.MethodPost, "/v1/sessions/"+session+"/operations", []byte(body), &r)
	return r, err
}

// files are those of an operation's snapshot and of the transcript's first item.
func (l lane) files(t *testing.T, session, id string) (snapshot, transcript []given) {
	t.Helper()
	var o struct{ Input []given }
	if _, err := l.Do(t.Context(), http.MethodGet, "/v1/sessions/"+session+"/operations/"+id, nil, &o); err != nil {
		t.Fatal(err)
	}
	var p struct{ Items []struct{ Files []given } }
	if _, err := l.Do(t.Context(), http.MethodGet, "/v1/sessions/"+session+"/transcript?limit=1", nil, &p); err != nil || len(p.Items) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	return o.Input, p.Items[0].Files
}

func TestAPromptWithAPictureAndAText(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for name, data := range map[string][]byte{"/pictures/a.png": png, "/notes.md": []byte("first")} {
		if _, _, err := l.PutFile(ctx, s, name, data, nil); err != nil {
			t.Fatal(err)
		}
	}
	const input = `[{"type":"file","path":"/pictures/a.png"},{"type":"file","path":"/notes.md"}]`
	if r, err := l.ask(t, s, "op", input); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, _, err := l.PutFile(ctx, s, "/notes.md", []byte("second"), nil); err != nil {
		t.Fatal(err)
	}
	if err := l.DeleteFile(ctx, s, "/pictures/a.png"); err != nil {
		t.Fatal(err)
	}
	if r, err := l.ask(t, s, "op", input); err != nil || r.Accepted {
		t.Errorf("sent again: %+v, %v", r, err)
	}
	if o, err := l.Wait(ctx, s, "op"); err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	want := fmt.Sprintf(`[{"Name":"a.png","Path":"/pictures/a.png","Type":"image/png","Bytes":%d,"Ref":{"SHA256":%q,"Type":"image/png","Bytes":%d}},{"Name":"notes.md","Path":"/notes.md","Type":"text/markdown; charset=utf-8","Bytes":5,"Ref":null}]`, len(png), client.Hash(png), len(png))
	snapshot, transcript := l.files(t, s, "op")
	for where, files := range map[string][]given{"the snapshot": snapshot, "the transcript": transcript} {
		if got, err := json.Marshal(files); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v\nwant %s", where, got, err, want)
		}
	}
	events, err := l.Events(ctx, s, 0)
	if err != nil || !slices.ContainsFunc(events, func(e client.Event) bool {
		return e.Type == "transcript.repaired" && strings.Contains(string(e.Data), `{"kind":"file_named","item":1}`)
	}) {
		t.Errorf("nothing says that a script cannot be shown a picture: %v", err)
	}
	if a, err := l.Get(ctx, "/v1/sessions/"+s+"/blobs/"+client.Hash(png)); err != nil || !bytes.Equal(a.Body, png) {
		t.Errorf("the picture as it was: %d, %d bytes, %v", a.Status, len(a.Body), err)
	}
	_, err = l.ask(t, s, "op", `[]`)
	problem(t, err, http.StatusUnprocessableEntity, "operation_mismatch")
	_, err = l.ask(t, s, "new", input)
	problem(t, err, http.StatusNotFound, "not_found")
}

func TestAnUploadComesWithTheFirstPromptOfASession(t *testing.T) {
	ctx, l := open(t)
	s := session()
	id, err := l.Upload(ctx, s, "a.png", png)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := l.ask(t, s, "op", fmt.Sprintf(`[{"type":"file","upload":%q,"name":"chart.png"}]`, id)); err != nil || r.After != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if o, err := l.Wait(ctx, s, "op"); err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	snapshot, _ := l.files(t, s, "op")
	if len(snapshot) != 1 || snapshot[0].Name != "chart.png" || snapshot[0].Path != "" || snapshot[0].Type != "image/png" || snapshot[0].Bytes != int64(len(png)) {
		t.Errorf("%+v", snapshot)
	}
	if files, err := l.Files(ctx, s, "/", 200); err != nil || len(files) != 0 {
		t.Errorf("the upload became a file of the workspace: %+v, %v", files, err)
	}
	_, err = l.Other.Raw(ctx, http.MethodPost, "/v1/sessions/"+s+"/operations", fmt.Appendf(nil, `{"prompt":"p","input":[{"type":"file","upload":%q}]}`, id), nil)
	problem(t, err, http.StatusUnprocessableEntity, "upload_missing") // it is another tenant's
}

// A session's usage is the sum of its operations'.
func TestASessionShowsWhatItsOperationsUsed(t *testing.T) {
	ctx, l := open(t)
	s := session()
	type usage struct {
		InputTokens, OutputTokens, ModelCalls int64
		CostUSD                               string
	}
	var want usage
	for _, id := range []string{"one", "two"} {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: id}); err != nil {
			t.Fatal(err)
		}
		if o, err := l.Wait(ctx, s, id); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
		var o struct{ Usage usage }
		if _, err := l.Do(ctx, http.MethodGet, "/v1/sessions/"+s+"/operations/"+id, nil, &o); err != nil || o.Usage.ModelCalls != 3 || o.Usage.CostUSD == "" {
			t.Fatalf("%+v, %v", o, err)
		}
		want.InputTokens += o.Usage.InputTokens
		want.OutputTokens += o.Usage.OutputTokens
		want.ModelCalls += o.Usage.ModelCalls
		want.CostUSD = o.Usage.CostUSD // of a script: nothing
	}
	var one struct {
		SessionID string
		Unsettled int
		Usage     usage
	}
	if _, err := l.Do(ctx, http.MethodGet, "/v1/sessions/"+s, nil, &one); err != nil || one.SessionID != s || one.Unsettled != 0 || one.Usage != want {
		t.Errorf("%+v, %v, want %+v", one, err, want)
	}
	_, err := l.Other.Do(ctx, http.MethodGet, "/v1/sessions/"+s, nil, nil)
	problem(t, err, http.StatusNotFound, "not_found")
}
