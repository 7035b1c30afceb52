package session_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// with is a submission that comes with files of the workspace.
func with(id string, paths ...string) session.Submission {
	sub := session.Submission{OperationID: id, Prompt: "what is it?"}
	for _, p := range paths {
		sub.Input = append(sub.Input, session.Part{Path: p})
	}
	return sub
}

// accept submits and returns what came with the operation, as the log has it.
func (w *world) accept(sub session.Submission) []event.File {
	w.t.Helper()
	r, err := w.Submit(w.t.Context(), stream, sub)
	if err != nil || !r.Accepted || r.Steered {
		w.t.Fatalf("%+v, %v", r, err)
	}
	for _, e := range w.events() {
		if a, ok := e.Data.(event.OperationAccepted); ok && e.Operation == r.OperationID {
			if e.Seq != r.After+1 {
				w.t.Errorf("%s stands at %d; its receipt says after %d", e.Operation, e.Seq, r.After)
			}
			return a.Input
		}
	}
	w.t.Fatalf("nothing accepts %s", r.OperationID)
	return nil
}

// must puts a file.
func (w *world) must(path, data string) {
	w.t.Helper()
	if _, err := w.put(path, data); err != nil {
		w.t.Fatal(err)
	}
}

// upload stores data as a client would, and returns its id.
func (w *world) upload(data, name string) string {
	w.t.Helper()
	sum := sha256.Sum256([]byte(data))
	hash := hex.EncodeToString(sum[:])
	u, err := w.Upload(w.t.Context(), stream, session.UploadRequest{Name: name, SHA256: hash, Bytes: int64(len(data))})
	if err == nil && !u.Present {
		err = w.blobs.PutBlob(w.t.Context(), eventstore.BlobKey{Stream: stream, SHA256: hash}, "", []byte(data))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return u.ID
}

func (w *world) content(f event.File) string {
	w.t.Helper()
	text, err := w.Journal.Load(w.t.Context(), stream, f.Content)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

func TestAPromptComesWithTheFilesOfItsMoment(t *testing.T) {
	large := strings.Repeat("\x89PNG", 10_000)
	w := newWorld(t)
	w.must("/notes.md", "one")
	w.must("/pictures/a.png", large)
	sub := with("a", "notes.md", "/pictures/a.png", "/notes.md")
	sub.Input = append(sub.Input, session.Part{Upload: w.upload("a,b", ""), Name: "b.csv"}, session.Part{Upload: w.upload(large+"!", "c.png")})
	got := w.accept(sub)
	w.must("/notes.md", "two")

	type seen struct{ Path, Name, Type, Content string }
	var files []seen
	for _, f := range got {
		files = append(files, seen{f.Path, f.Name, f.Type, w.content(f)})
	}
	note := seen{"/notes.md", "notes.md", "text/markdown; charset=utf-8", "one"}
	want := []seen{note, {"/pictures/a.png", "a.png", "image/png", large}, note, {"", "b.csv", "text/csv; charset=utf-8", "a,b"}, {"", "", "image/png", large + "!"}}
	if d := cmp.Diff(want, files); d != "" {
		t.Errorf("(-want +got):\n%.2000s", d)
	}
	if state := turn.Fold(w.events()); len(state.Queue) != 1 || w.turns.woken != 1 {
		t.Errorf("%d operations, woken %d times", len(state.Queue), w.turns.woken)
	}
	if got, want := string(w.summary()), string(turn.Fold(w.events()).Summary().Encode()); got != want {
		t.Errorf("the summary is\n%s, folding gives\n%s", got, want)
	}
}

// A client that repeats its request learns that it was accepted, whatever has become
// of the files.
func TestASubmissionSentAgainIsTheSameWhateverBecameOfItsFiles(t *testing.T) {
	w := newWorld(t)
	w.must("/a", "one")
	w.must("/b", "bee")
	sub := with("op", "/a", "/b")
	w.accept(sub)
	for name, change := range map[string]func() error{
		"nothing": func() error { return nil },
		"changed": func() error { _, err := w.put("/a", "two"); return err },
		"deleted": func() error { return w.DeleteFile(t.Context(), stream, session.FileWrite{Path: "/a", Holds: always}) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if r, err := w.Submit(t.Context(), stream, sub); err != nil || r.Accepted || r.OperationID != "op" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	for name, other := range map[string]session.Submission{
		"no files": with("op"), "fewer": with("op", "/a"), "another order": with("op", "/b", "/a"), "another file": with("op", "/a", "/c"),
	} {
		if code := w.code(other); code != fault.OperationMismatch {
			t.Errorf("%s: %s, want %s", name, code, fault.OperationMismatch)
		}
	}
}

func TestInputThatCannotBeAccepted(t *testing.T) {
	mebibytes := func(w *world, n int) string { return w.upload(strings.Repeat("0123456789abcdef", n<<16), "") }
	for name, c := range map[string]struct {
		input func(*world) []session.Part
		want  fault.Code
	}{
		"no such file":       {func(*world) []session.Part { return []session.Part{{Path: "/a"}, {Path: "/none"}} }, fault.NotFound},
		"a folder":           {func(*world) []session.Part { return []session.Part{{Path: "/dir"}} }, fault.NotFound},
		"a bad path":         {func(*world) []session.Part { return []session.Part{{Path: "/a/../b"}} }, fault.InvalidPath},
		"neither":            {func(*world) []session.Part { return []session.Part{{}} }, fault.InvalidRequest},
		"a name alone":       {func(*world) []session.Part { return []session.Part{{Name: "a"}} }, fault.InvalidRequest},
		"both":               {func(w *world) []session.Part { return []session.Part{{Path: "/a", Upload: w.upload("x", "")}} }, fault.InvalidRequest},
		"a path and a name":  {func(*world) []session.Part { return []session.Part{{Path: "/a", Name: "b"}} }, fault.InvalidRequest},
		"no upload id":       {func(*world) []session.Part { return []session.Part{{Upload: "u1.x"}} }, fault.InvalidRequest},
		"a name with a line": {func(w *world) []session.Part { return []session.Part{{Upload: w.upload("x", ""), Name: "a\nb"}} }, fault.InvalidRequest},
		"a long name": {func(w *world) []session.Part {
			return []session.Part{{Upload: w.upload("x", ""), Name: strings.Repeat("n", 256)}}
		}, fault.InvalidRequest},
		"an upload that is not there": {func(w *world) []session.Part {
			u, err := w.Upload(t.Context(), stream, session.UploadRequest{SHA256: strings.Repeat("0", 64), Bytes: 1})
			if err != nil {
				t.Fatal(err)
			}
			return []session.Part{{Upload: u.ID}}
		}, fault.UploadMissing},
		"17 files":       {func(*world) []session.Part { return make([]session.Part, session.MaxInput+1) }, fault.TooLarge},
		"21 MiB at once": {func(w *world) []session.Part { return []session.Part{{Upload: mebibytes(w, 21)}} }, fault.TooLarge},
		"21 MiB in files": {func(w *world) []session.Part {
			id := mebibytes(w, 7)
			return []session.Part{{Upload: id}, {Upload: id}, {Upload: id}}
		}, fault.TooLarge},
		"20 MiB and a bit": {func(w *world) []session.Part { return []session.Part{{Upload: mebibytes(w, 20)}, {Path: "/a"}} }, fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.must("/a", "one")
			w.must("/dir/b", "two")
			before := len(w.events())
			if code := w.code(session.Submission{OperationID: "op", Prompt: "p", Input: c.input(w)}); code != c.want {
				t.Errorf("%s, want %s", code, c.want)
			}
			if n := len(w.events()); n != before {
				t.Errorf("%d events were stored", n-before)
			}
			w.accept(with("op", "/a")) // the id is free
		})
	}
}

func TestAsMuchInputAsIsAllowed(t *testing.T) {
	w := newWorld(t)
	w.must("/a", "one")
	sub := with("most")
	for range session.MaxInput {
		sub.Input = append(sub.Input, session.Part{Path: "/a"})
	}
	if got := w.accept(sub); len(got) != session.MaxInput {
		t.Errorf("%d files", len(got))
	}
	sub = with("largest")
	sub.Input = []session.Part{{Upload: w.upload(strings.Repeat("x", session.MaxInputBytes), "x.txt")}}
	if got := w.accept(sub); len(got) != 1 || got[0].Content.Len() != session.MaxInputBytes {
		t.Errorf("%+v", got)
	}
	sub.Prompt, sub.OperationID = " ", "blank"
	if code := w.code(sub); code != fault.EmptyPrompt {
		t.Errorf("files without a question: %s, want %s", code, fault.EmptyPrompt)
	}
}

// An upload may come with the very first prompt; a path cannot.
func TestInputOfANewSession(t *testing.T) {
	w := newWorld(t)
	if code := w.code(with("op", "/a")); code != fault.NotFound {
		t.Errorf("%s, want %s", code, fault.NotFound)
	}
	sub := with("op")
	sub.Input = []session.Part{{Upload: w.upload("hello", "a.txt")}}
	if got := w.accept(sub); len(got) != 1 || w.content(got[0]) != "hello" || len(w.turns.started) != 1 {
		t.Errorf("%+v, started %v", got, w.turns.started)
	}
}

// Somebody writes the file, or deletes it, between the look and the append: the
// submission is decided again, and comes with what is there then, or not at all.
func TestFilesThatChangeWhileTheyAreLookedAt(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world) error
		want   string
	}{
		"written": {func(w *world) error { _, err := w.put("/a", "two"); return err }, "two"},
		"deleted": {func(w *world) error {
			return w.DeleteFile(w.t.Context(), stream, session.FileWrite{Path: "/a", Holds: always})
		}, ""},
	} {
		d := memory.New()
		rival := over(t, d)
		rival.must("/a", "one")
		done := false
		w := over(t, flaky.New(d, flaky.Script{{When: func(call flaky.Call) bool {
			if call.Op == flaky.Append && !done {
				done = true
				if err := c.change(rival); err != nil {
					t.Fatal(err)
				}
			}
			return false
		}, Do: flaky.Pass}}))
		if c.want == "" {
			if code := w.code(with("op", "/a")); code != fault.NotFound {
				t.Errorf("%s: %s, want %s", name, code, fault.NotFound)
			}
			continue
		}
		if got := w.accept(with("op", "/a")); len(got) != 1 || got[0].Content.Inline() != c.want {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// A message has no files: what comes with some is an operation of its own.
func TestInputWhileOthersRun(t *testing.T) {
	for policy, want := range map[string]string{"enqueue": "a op", "steer": "a op", "interrupt": "a! op", "reject": ""} {
		w := newWorld(t)
		w.must("/f", "x")
		w.submit("a", "p")
		w.start()
		sub := with("op", "/f")
		sub.IfBusy = policy
		if want == "" {
			if code := w.code(sub); code != fault.SessionBusy {
				t.Errorf("%s: %s", policy, code)
			}
			continue
		}
		if got := w.accept(sub); len(got) != 1 {
			t.Errorf("%s: %+v", policy, got)
		}
		var queue []string
		for _, op := range turn.Fold(w.events()).Queue {
			queue = append(queue, op.ID+map[bool]string{true: "!"}[op.CancelRequested])
		}
		if got := strings.Join(queue, " "); got != want {
			t.Errorf("%s: the queue is %s, want %s", policy, got, want)
		}
	}
	w := newWorld(t)
	w.submit("a", "p")
	w.start()
	before := len(w.events())
	sub := with("op", "/none")
	sub.IfBusy = "interrupt"
	if code := w.code(sub); code != fault.NotFound || len(w.events()) != before {
		t.Errorf("%s, and %d events: what cannot be accepted cancels nobody", code, len(w.events())-before)
	}
}

// A checkpoint holds apart what is short in the log; the event does not tell.
func TestTheSameSubmissionLeavesTheSameEventBehindACheckpoint(t *testing.T) {
	text := strings.Repeat("t", 10_000)
	var got [2]event.Value
	for i := range got {
		w := newWorld(t)
		w.must("/a", text)
		for n := range 80 * i { // a checkpoint is due by then
			w.must("/b", fmt.Sprint(n))
		}
		got[i] = w.accept(with("op", "/a"))[0].Content
	}
	if got[0].Inline() != text || !got[0].Equal(got[1]) {
		t.Errorf("%d bytes inline, and %d", len(got[0].Inline()), len(got[1].Inline()))
	}
}

func TestFilesAreShownWithoutTheirBytes(t *testing.T) {
	large := strings.Repeat("p", 20_000)
	w := newWorld(t)
	w.must("/a.png", large)
	w.must("/b.txt", "bee")
	w.accept(with("op", "/a.png", "/b.txt"))
	w.submit("alone", "p")
	sum := sha256.Sum256([]byte(large))
	ref := event.Ref{SHA256: hex.EncodeToString(sum[:]), Bytes: 20_000, Type: "image/png"}
	want := []view.File{{Name: "a.png", Path: "/a.png", Type: "image/png", Bytes: 20_000, Ref: &ref}, {Name: "b.txt", Path: "/b.txt", Type: "text/plain; charset=utf-8", Bytes: 3}}
	look := func(when string) {
		t.Helper()
		o, err := w.Settled(t.Context(), stream, "op", 0)
		if d := cmp.Diff(want, o.Input); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", when, err, d)
		}
	}
	look("queued")
	w.start()
	p, err := w.Transcript(t.Context(), stream, session.TranscriptQuery{Limit: 10})
	if err != nil || len(p.Items) != 1 || p.Items[0].Text.Inline() != "what is it?" {
		t.Fatalf("%+v, %v", p, err)
	}
	if d := cmp.Diff(want, p.Items[0].Files); d != "" {
		t.Errorf("transcript (-want +got):\n%s", d)
	}
	w.append(event.OperationFailed{Error: event.Error{Code: "max_rounds"}})
	look("failed")
	if o, err := w.Settled(t.Context(), stream, "alone", 0); err != nil || o.Input != nil {
		t.Errorf("%+v, %v", o.Input, err)
	}
	list, err := w.Operations(t.Context(), stream, session.ListQuery{Limit: 10})
	if err != nil || len(list.Operations) != 2 || list.Operations[1].Input != nil || list.Operations[1].Status != index.Failed {
		t.Errorf("%+v, %v", list, err)
	}
}
