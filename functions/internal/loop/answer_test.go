package loop_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/model"
	"windlass/functions/internal/price"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/session"
)

// stuck says something and then nothing more.
type stuck struct{}

func (stuck) Rules() projection.Rules { return projection.Rules{} }

func (stuck) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if yield(model.Part{Text: "as I was say"}, nil) {
			<-ctx.Done()
			yield(model.Part{}, ctx.Err())
		}
	}
}

func lastOf[P event.Payload](w *world) (last P) {
	for _, e := range w.events() {
		if p, ok := e.Data.(P); ok {
			last = p
		}
	}
	return last
}

// What was said before an answer broke off is kept once; the answer that follows is
// whole by itself.
func TestABrokenAnswerIsKeptAndNeverGlued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.loop.Models["scripted"] = &breaking{}
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		w.drive("op", 1)
		broken := lastOf[event.ModelFailed](w)
		if broken.Error.Code != model.Overloaded || broken.Partial == nil || broken.Partial.Inline() != "half an ans" {
			t.Errorf("%+v", broken)
		}
		if o, err := w.service.Operation(t.Context(), stream, "op"); err != nil || o.Output.Inline() != "a whole answer" {
			t.Errorf("%+v, %v", o, err)
		}
		if w.entries != 1 { // a wait of two seconds is spent where it is
			t.Errorf("%d invocations", w.entries)
		}
	})
}

// breaking breaks off until it has been asked for a second time.
type breaking struct{ asked int }

func (*breaking) Rules() projection.Rules { return projection.Rules{} }

func (b *breaking) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if b.asked++; b.asked == 1 {
			_ = yield(model.Part{Text: "half an ans"}, nil) && yield(model.Part{}, &model.Fault{Code: model.Overloaded, Message: "later"})
			return
		}
		_ = yield(model.Part{Text: "a whole answer"}, nil) && yield(model.Part{Stop: model.StopEnd}, nil)
	}
}

func TestACancelledAnswerIsKeptAsFarAsItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.loop.Models["scripted"] = stuck{}
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		asked := make(chan error)
		go func() {
			time.Sleep(5 * time.Second)
			_, err := w.service.Cancel(t.Context(), stream, "op")
			asked <- err
		}()
		w.drive("op", 1)
		if err := <-asked; err != nil {
			t.Error(err)
		}
		if broken := lastOf[event.ModelFailed](w); broken.Error.Code != "cancelled" || broken.Partial == nil || broken.Partial.Inline() != "as I was say" {
			t.Errorf("%+v", broken)
		}
	})
}

// Opaque material goes back to the model that gave it, byte for byte, and to no
// other; one that refuses it is not given it again.
func TestOpaqueMaterialGoesBackToItsOwnModelAlone(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = twoModels(t)
	const native = `{"signature":"c2ln=="}`
	var seen []string
	say := func(name string) *scriptedModel {
		return &scriptedModel{say: func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			line := name + ":"
			for _, p := range shown(r) {
				line += " " + p.Native
			}
			seen = append(seen, strings.TrimSpace(line))
			if name == "one" && n == 3 {
				return nil, &model.Fault{Code: model.NativeRefused, Permanent: true, Message: "no such signature"}
			}
			return []model.Part{{Reasoning: "hm"}, {Native: native}, {Text: "said by " + name}}, nil
		}}
	}
	w.loop.Models = map[string]model.Provider{"one": say("one"), "two": say("two")}
	for i, agent := range []string{"first", "second", "first", "first"} {
		id := fmt.Sprint("op-", i)
		w.submit(session.Submission{Prompt: "go", OperationID: id, Agent: agent})
		w.drive(id, 1)
	}
	for i := range seen {
		seen[i] = strings.Join(strings.Fields(seen[i]), " ")
	}
	// one, two, one again with its own, one refuses in the fourth turn and is asked without
	if d := cmp.Diff([]string{"one:", "two:", "one: " + native, "one: " + native + " " + native, "one:"}, seen); d != "" {
		t.Errorf("asked with (-want +got):\n%s", d)
	}
	if r := lastOf[event.TranscriptRepaired](w); len(r.Repairs) != 1 || r.Repairs[0].Kind != event.RepairNative {
		t.Errorf("%+v", r)
	}
}

// A picture that a model cannot read is named from then on: what stands in a session for
// ever must not end all of its turns.
func TestAFileThatIsRefusedIsNamed(t *testing.T) {
	for _, refused := range []model.Fault{
		{Code: model.Invalid, Permanent: true, Message: "no"},
		{Code: model.Unavailable, Files: true, Message: "its server's own fault"},
	} {
		w := newWorld(t)
		var pictures []int
		w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
			n := 0
			for _, p := range shown(r) {
				if p.File != nil {
					n++
				}
			}
			if pictures = append(pictures, n); n > 0 {
				return nil, &refused
			}
			return []model.Part{{Text: "done"}}, nil
		}).files = func(string) bool { return true }
		if _, err := w.service.PutFile(t.Context(), stream, session.FileWrite{Path: "/a.png", ContentType: "image/png", Data: "\x89PNG", Holds: func(string) bool { return true }}); err != nil {
			t.Fatal(err)
		}
		w.submit(session.Submission{Prompt: "look", OperationID: "op", Input: []session.Part{{Path: "/a.png"}}})
		w.drive("op", 1)
		w.submit(session.Submission{Prompt: "and now?", OperationID: "next"})
		w.drive("next", 1)
		if d := cmp.Diff([]int{1, 0, 0}, pictures); d != "" {
			t.Errorf("pictures that were shown (-want +got):\n%s", d)
		}
		if r := lastOf[event.TranscriptRepaired](w); len(r.Repairs) == 0 || r.Repairs[0].Kind != event.RepairFilesRefused && r.Repairs[0].Kind != event.RepairFile {
			t.Errorf("%+v", r)
		}
		if o, err := w.service.Operation(t.Context(), stream, "next"); err != nil || o.Status != "completed" {
			t.Errorf("%+v, %v\n%s", o, err, w.types())
		}
	}
}

// A list of models is asked to its end, each at least once.
func TestEveryModelOfALongListIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		c, err := agent.Read(fstest.MapFS{"demo.yaml": {Data: []byte("name: demo\nmodel: {provider: a, name: m}\nfallbacks: [{provider: b, name: m}, {provider: c, name: m}, {provider: d, name: m}]")}}, "demo", nil)
		if err != nil {
			t.Fatal(err)
		}
		w.service.Agents, w.loop.Models = c, map[string]model.Provider{}
		var asked []string
		for _, name := range []string{"a", "b", "c", "d"} {
			w.loop.Models[name] = &scriptedModel{say: func(context.Context, int, model.Request) ([]model.Part, error) {
				if asked = append(asked, name); name == "d" {
					return []model.Part{{Text: "done"}}, nil
				}
				return nil, &model.Fault{Code: model.Overloaded, Message: "busy"}
			}}
		}
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		for w.run() != "done" {
			time.Sleep(time.Minute)
		}
		if got := strings.Join(asked, ""); got != "aabcd" {
			t.Errorf("asked %s", got)
		}
	})
}

func TestTheNextModelIsAskedAndTheEventSaysWhich(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = twoModels(t)
	w.loop.Prices = table(t, "- {model: two/b, input: \"1000000\", output: \"0.5\"}")
	w.loop.Models = map[string]model.Provider{"two": usage{event.Tokens{InputTokens: 3, OutputTokens: 2_000_000}}}
	w.submit(session.Submission{Prompt: "go", OperationID: "op", Agent: "first"})
	w.drive("op", 1)
	said, failed := lastOf[event.ModelCompleted](w), lastOf[event.ModelFailed](w)
	if said.Model != "two/b" || said.CostUSD != "4" || failed.Error.Code != model.Denied || !failed.Fallback {
		t.Errorf("%+v after %+v", said, failed)
	}
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil || o.Usage.CostUSD != "4" || o.Usage.OutputTokens != 2_000_000 {
		t.Errorf("%+v, %v", o.Usage, err)
	}
}

func TestACostThatNobodyKnowsIsNotZero(t *testing.T) {
	w := newWorld(t)
	w.loop.Models["scripted"] = usage{event.Tokens{InputTokens: 3}}
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	if o, err := w.service.Operation(t.Context(), stream, "op"); err != nil || o.Usage.CostUSD != event.UnknownUSD {
		t.Errorf("%+v, %v", o.Usage, err)
	}
}

// A file that the model made is in the workspace, and in the transcript by reference.
func TestAFileThatTheModelMadeIsInTheWorkspace(t *testing.T) {
	w := newWorld(t)
	png := "\x89PNG" + strings.Repeat("\x00", 20_000)
	var next []string
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		if n == 1 {
			return []model.Part{{Text: "Here: "}, {File: &model.File{Type: "image/png", Data: png}}}, nil
		}
		for _, p := range shown(r) {
			next = append(next, p.Text)
		}
		return []model.Part{{Text: "as you see"}}, nil
	})
	for _, id := range []string{"a", "b"} {
		w.submit(session.Submission{Prompt: "draw", OperationID: id})
		w.drive(id, 1)
	}
	wrote := lastOf[event.WorkspaceWritten](w)
	if _, apart := wrote.Content.Ref(); wrote.Path != "/outputs/a/1-1.png" || wrote.Bytes != int64(len(png)) || wrote.ContentType != "image/png" || !apart {
		t.Errorf("%+v", wrote)
	}
	if d := cmp.Diff([]string{"draw", "Here: ", "[File /outputs/a/1-1.png, image/png, 20004 bytes.]", "draw"}, next); d != "" {
		t.Errorf("the next turn's model is shown (-want +got):\n%s", d)
	}
}

// What an answer consists of is stored at once, and stands in the log as it came.
func TestALargeAnswerKeepsEachPartInItsPlace(t *testing.T) {
	w := newWorld(t)
	large := func(kind string, i int) string { return fmt.Sprint(kind, i, strings.Repeat("x", event.MaxInline)) }
	w.model(func(_ context.Context, n int, _ model.Request) (parts []model.Part, _ error) {
		if n > 1 {
			return []model.Part{{Text: "done"}}, nil
		}
		for i := range 3 {
			parts = append(parts,
				model.Part{File: &model.File{Type: "image/png", Data: large("png", i)}},
				call(fmt.Sprint("c", i), "workspace_write", fmt.Sprintf(`{"path":"/%d","content":%q}`, i, large("file", i))))
		}
		return parts, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	var wrote []string
	for _, e := range w.events() {
		if f, ok := e.Data.(event.WorkspaceWritten); ok {
			content, err := w.loop.Journal.Load(t.Context(), stream, f.Content)
			if err != nil {
				t.Fatal(err)
			}
			wrote = append(wrote, f.Path+" "+content[:5])
		}
	}
	if d := cmp.Diff([]string{"/outputs/op/1-0.png png0x", "/outputs/op/1-2.png png1x", "/outputs/op/1-4.png png2x", "/0 file0", "/1 file1", "/2 file2"}, wrote); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

func TestWhatIsShownOtherwiseIsTold(t *testing.T) {
	w := newWorld(t)
	w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
		if n < 3 {
			return []model.Part{call("c", "workspace_read", `{"{"a":`)}, nil
		}
		return []model.Part{{Text: "done"}}, nil
	})
	w.submit(session.Submission{Prompt: "a\x00b", OperationID: "op"})
	w.drive("op", 1)
	var told []event.Repair
	for _, e := range w.events() {
		if r, ok := e.Data.(event.TranscriptRepaired); ok {
			told = append(told, r.Repairs...)
		}
	}
	want := []event.Repair{{Kind: event.RepairText, Item: 1}, {Kind: event.RepairArguments, Item: 2}, {Kind: event.RepairArguments, Item: 4}}
	if d := cmp.Diff(want, told); d != "" {
		t.Errorf("repairs (-want +got):\n%s", d)
	}
}

// twoModels are agents of two providers.
func twoModels(t *testing.T) *agent.Catalog {
	t.Helper()
	c, err := agent.Read(fstest.MapFS{
		"first.yaml":  {Data: []byte("name: first\nmodel: {provider: one, name: a}\nfallbacks: [{provider: two, name: b}]")},
		"second.yaml": {Data: []byte("name: second\nmodel: {provider: two, name: b}")},
	}, "first", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// usage answers, and says what it used.
type usage struct{ event.Tokens }

func (usage) Rules() projection.Rules { return projection.Rules{} }

func (u usage) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		_ = yield(model.Part{Text: "so"}, nil) && yield(model.Part{Stop: model.StopEnd, Usage: u.Tokens}, nil)
	}
}

func table(t *testing.T, rows string) price.Table {
	t.Helper()
	prices, err := price.Read([]byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return prices
}
