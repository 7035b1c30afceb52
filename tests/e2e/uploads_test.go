package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
)

func TestAPromptOf50MBOfWhichTheModelReadsALine(t *testing.T) {
	ctx, l := open(t)
	s := session()
	const load = `{"rounds":2,"callsPerRound":2,"toolBytes":50,"answerBytes":9}` + "\n"
	prompt := append([]byte(load), bytes.Repeat([]byte("padding "), 50<<17)...)
	id, err := l.Upload(ctx, s, "prompt.txt", prompt)
	if err != nil {
		t.Fatal(err)
	}
	sub := client.Submission{PromptUpload: id, OperationID: "op", Agent: "stress"}
	if r, err := l.Submit(ctx, s, sub); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	o, err := l.Wait(ctx, s, "op")
	if err != nil || o.Status != "completed" || o.PromptBytes != int64(len(prompt)) || len(o.Prompt) != 4096 || !strings.HasPrefix(o.Prompt, load) {
		t.Errorf("%s, %d bytes, %v, %v", o.Status, o.PromptBytes, o.Error, err)
	}
	if r, err := l.Submit(ctx, s, sub); err != nil || r.Accepted {
		t.Errorf("again: %+v, %v", r, err)
	}
	if again, err := l.Announce(ctx, s, "prompt.txt", prompt); err != nil || !again.Present || again.URL != "" {
		t.Errorf("%+v, %v", again, err)
	}
	a, err := l.Get(ctx, "/v1/sessions/"+s+"/blobs/"+client.Hash(prompt))
	if err != nil || !bytes.Equal(a.Body, prompt) {
		t.Errorf("%d, %d bytes, %v", a.Status, len(a.Body), err)
	}
}

func TestAnUploadedPromptIsTheSameSubmission(t *testing.T) {
	ctx, l := open(t)
	s := session()
	prompt := strings.Repeat("é long prompt ", 3000)
	id, err := l.Upload(ctx, s, "", []byte(prompt))
	if err != nil {
		t.Fatal(err)
	}
	for i, sub := range []client.Submission{{Prompt: prompt, OperationID: "op"}, {PromptUpload: id, OperationID: "op"}} {
		if r, err := l.Submit(ctx, s, sub); err != nil || r.Accepted != (i == 0) {
			t.Errorf("%d: %+v, %v", i, r, err)
		}
	}
	other, err := l.Upload(ctx, s, "", []byte(prompt+"!"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Submit(ctx, s, client.Submission{PromptUpload: other, OperationID: "op"})
	problem(t, err, http.StatusUnprocessableEntity, "operation_mismatch")
}

// A URL takes the announced bytes, once, and nothing else.
func TestAnUploadTakesWhatWasAnnounced(t *testing.T) {
	ctx, l := open(t)
	s := session()
	data := bytes.Repeat([]byte("x"), 20_000)
	u, err := l.Announce(ctx, s, "x.txt", data)
	if err != nil || u.Present || u.URL == "" {
		t.Fatalf("%+v, %v", u, err)
	}
	_, err = l.Submit(ctx, s, client.Submission{PromptUpload: u.UploadID})
	problem(t, err, http.StatusUnprocessableEntity, "upload_missing")
	unsigned := u
	unsigned.Headers = map[string]string{}
	for name, c := range map[string]struct {
		u    client.Upload
		data []byte
	}{"longer": {u, append(data, 'x')}, "shorter": {u, data[1:]}, "another": {u, bytes.Repeat([]byte("y"), len(data))}, "without the signed headers": {unsigned, data}} {
		if a, err := client.Store(ctx, c.u, c.data); err == nil && a.Status < 400 {
			t.Errorf("%s content is taken: %d %s", name, a.Status, a.Body)
		}
	}
	for _, want := range []int{http.StatusOK, http.StatusPreconditionFailed} {
		if a, err := client.Store(ctx, u, data); err != nil || a.Status != want {
			t.Errorf("%d %s, %v, want %d", a.Status, a.Body, err, want)
		}
	}
	if _, err := l.Submit(ctx, s, client.Submission{PromptUpload: u.UploadID}); err != nil {
		t.Error(err)
	}
	if err := l.DeleteFile(ctx, s, "/never"); err == nil {
		t.Error("a file that never was is deleted")
	}
}
