package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/scripted"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
	"windlass/infra/agents"
)

var stream = eventstore.Stream{Tenant: "t", Session: "s"}

// world is a session over the memory driver, driven by hand.
type world struct {
	t       *testing.T
	journal *eventstore.Journal
	blobs   *memory.Blobs
	service *session.Service
	loop    *loop.Loop
	entries int
	parked  int // seconds that the last Park waits at most
}

func newWorld(t *testing.T) *world {
	t.Helper()
	catalog, err := agent.Read(agents.Files, "demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, blobs: memory.NewBlobs()}
	w.journal = eventstore.New(memory.New(), eventstore.WithBlobs(w.blobs))
	n := 0
	w.service = &session.Service{Journal: w.journal, Opened: &fold.Sessions{}, Agents: catalog, Turns: w, Now: time.Now, NewID: func(time.Time) string { n++; return fmt.Sprint("id-", n) }}
	w.loop = &loop.Loop{
		Journal: w.journal, Models: map[string]model.Provider{"scripted": scripted.Provider{}}, Tools: tool.All,
		Now: time.Now, Jitter: func(d time.Duration) time.Duration { return d }, Limits: loop.DefaultLimits,
	}
	return w
}

// catalog holds one agent with the given tools.
func catalog(t *testing.T, tools string) *agent.Catalog {
	t.Helper()
	c, err := agent.Read(fstest.MapFS{"demo.yaml": {Data: []byte("name: demo\nmodel: {provider: scripted, name: demo}\ntools: " + tools)}}, "demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *world) Start(context.Context, execution.Turn) (bool, error) { return true, nil }
func (w *world) Wake(context.Context, eventstore.Stream) error       { return nil }

func (w *world) submit(sub session.Submission) {
	w.t.Helper()
	if _, err := w.service.Submit(w.t.Context(), stream, sub); err != nil {
		w.t.Fatal(err)
	}
}

// drive plays the state machine until the execution is done.
func (w *world) drive(operation string, generation int) {
	w.t.Helper()
	doc := loop.Document{Turn: execution.Turn{Tenant: "t", Session: "s", Operation: operation, Generation: generation}}
	for doc.Next != "done" {
		w.entries++
		var err error
		doc, err = w.loop.Drive(w.t.Context(), loop.Task{Turn: doc, Execution: "e", EnteredAt: fmt.Sprint(w.entries)}, "r")
		if err != nil {
			w.t.Fatal(err)
		}
		if doc.Next == "backoff" {
			time.Sleep(time.Until(doc.Until.Time)) // under synctest: the Wait state
		}
	}
}

func (w *world) events() []event.Event {
	w.t.Helper()
	var all []event.Event
	for c, err := range w.journal.Read(w.t.Context(), stream, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, c.Events...)
	}
	return all
}

func (w *world) types() string {
	var b strings.Builder
	for _, e := range w.events() {
		fmt.Fprintf(&b, "%d %s r%d\n", e.Seq, e.Data.EventType(), e.Round)
	}
	return b.String()
}

func TestDemoWritesAFileAndReadsItBack(t *testing.T) {
	w := newWorld(t)
	w.submit(session.Submission{Prompt: "write a short README to /codex/result.txt and read it back", OperationID: "op"})
	w.drive("op", 1)
	want := `1 session.opened r0
2 operation.accepted r0
3 operation.started r0
4 model.started r1
5 model.completed r1
6 tool.started r1
7 workspace.written r1
8 tool.completed r1
9 model.started r2
10 model.completed r2
11 tool.started r2
12 tool.completed r2
13 model.started r3
14 model.completed r3
15 operation.completed r0
`
	if d := cmp.Diff(want, w.types()); d != "" {
		t.Fatalf("events (-want +got):\n%s", d)
	}
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != "completed" || !strings.Contains(o.Output.Inline(), "/codex/result.txt") || !strings.Contains(o.Output.Inline(), "# README") {
		t.Fatalf("snapshot: %+v, output %q", o, o.Output.Inline())
	}
	if o.Usage.ModelCalls != 3 || o.FirstSeq != 2 || o.LastSeq != 15 || o.AsOfSeq != 15 || o.Round != 3 {
		t.Fatalf("snapshot: %+v", o)
	}
}

// scriptedModel counts how often it is asked, and answers by func.
type scriptedModel struct {
	mu    sync.Mutex
	asked int
	files func(mediaType string) bool
	say   func(ctx context.Context, n int, r model.Request) ([]model.Part, error)
}

func (m *scriptedModel) Rules() projection.Rules { return projection.Rules{File: m.files} }

// shown is what a model is shown, in a row.
func shown(r model.Request) (parts []projection.Part) {
	for _, m := range r.Messages {
		parts = append(parts, m.Parts...)
	}
	return parts
}

// results are those of the newest calls.
func results(r model.Request) (all []projection.Result) {
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		if p.Result != nil {
			all = append(all, *p.Result)
		}
	}
	return all
}

func (m *scriptedModel) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if r.Purpose == event.PurposeCompact {
			_ = yield(model.Part{Text: "a summary"}, nil) && yield(model.Part{Stop: "end"}, nil)
			return
		}
		m.mu.Lock()
		m.asked++
		n := m.asked
		m.mu.Unlock()
		parts, err := m.say(ctx, n, r)
		if err != nil {
			yield(model.Part{}, err)
			return
		}
		for _, p := range parts {
			if !yield(p, nil) {
				return
			}
		}
		yield(model.Part{Stop: "end"}, nil)
	}
}

func call(id, name, args string) model.Part {
	return model.Part{Call: &model.Call{ID: id, Name: name, Arguments: args}}
}

func (w *world) model(say func(context.Context, int, model.Request) ([]model.Part, error)) *scriptedModel {
	m := &scriptedModel{say: say}
	w.loop.Models = map[string]model.Provider{"scripted": m}
	return m
}

func TestModelIsAskedExactly128TimesForACapOf128(t *testing.T) {
	for _, tc := range []struct {
		toolRounds int
		status     string
		code       string
	}{{127, "completed", ""}, {128, "failed", "max_rounds"}, {500, "failed", "max_rounds"}} {
		w := newWorld(t)
		m := w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
			if n > tc.toolRounds {
				return []model.Part{{Text: "done"}}, nil
			}
			return []model.Part{call("call-0", "workspace_list", fmt.Sprintf(`{"prefix":"/%d"}`, n))}, nil
		})
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		w.drive("op", 1)
		o, err := w.service.Operation(t.Context(), stream, "op")
		if err != nil {
			t.Fatal(err)
		}
		code := ""
		if o.Error != nil {
			code = o.Error.Code
		}
		if m.asked != 128 || o.Status != tc.status || code != tc.code || o.Usage.ModelCalls != 128 || o.Round != 128 {
			t.Errorf("%d tool rounds: asked %d times, %s %q, round %d", tc.toolRounds, m.asked, o.Status, code, o.Round)
		}
	}
}

// failures: a provider's call id is used again in a later round.
func TestRepeatedCallIDIsAnotherStep(t *testing.T) {
	w := newWorld(t)
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		switch n {
		case 1, 2:
			return []model.Part{call("call-0", "workspace_write", fmt.Sprintf(`{"path":"/f-%d","content":"%d"}`, n, n))}, nil
		case 3:
			return []model.Part{call("call-0", "workspace_list", `{}`)}, nil
		}
		return []model.Part{{Text: results(r)[0].Output}}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"files":[{"path":"/f-1","bytes":1,"type":"text/plain; charset=utf-8"},{"path":"/f-2","bytes":1,"type":"text/plain; charset=utf-8"}]}`
	if o.Output.Inline() != want {
		t.Errorf("output %s\nwant   %s", o.Output.Inline(), want)
	}
}

func TestBadCallsBecomeResultsThatTheModelReads(t *testing.T) {
	w := newWorld(t)
	bad := []model.Part{
		call("c", "no_such_tool", `{}`), call("c", "workspace_read", `{"{"a":`), call("c", "workspace_read", ``),
		call("c", "workspace_read", `null`), call("c", "workspace_read", `[1]`), call("c", "workspace_read", `{"path":"/missing"}`),
		call("c", "workspace_read", `{"path":"/a/../b"}`), call("c", "workspace_write", `{"path":"/a"}`),
		call("c", "workspace_write", `{"path":"/a","content":"x","mode":7}`),
		call("c", "workspace_write", `{"path":"/big","content":"`+strings.Repeat("x", tool.MaxFile+1)+`"}`),
		call("c", "verbose", `{}`),
		call("c", "workspace_write", `{"path":"/ok","content":"x"}`),
	}
	want := []string{"unknown_tool", "invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "not_found",
		"invalid_path", "invalid_arguments", "invalid_arguments", "too_large", "too_large", ""}
	type nothing struct{}
	w.loop.Tools = maps.Clone(tool.All)
	w.loop.Tools["verbose"] = tool.Define(tool.Tool{Name: "verbose", Effect: tool.Read, Timeout: time.Second},
		func(nothing) string { return "" },
		func(context.Context, tool.Env, nothing) (tool.Result, error) {
			return tool.Result{Output: strings.Repeat("x", tool.MaxOutput+1)}, nil
		})
	w.service.Agents = catalog(t, "[workspace_write, workspace_read, verbose]")
	var got []string
	round := 0
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		if n > 1 {
			var failed struct{ Error event.Error }
			if last := results(r)[0]; last.Failed {
				if err := json.Unmarshal([]byte(last.Output), &failed); err != nil {
					t.Error(err)
				}
			}
			got = append(got, failed.Error.Code)
		}
		if round++; round <= len(bad) {
			return bad[round-1 : round], nil
		}
		return []model.Part{{Text: "done"}}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("result codes (-want +got):\n%s", d)
	}
	if o, err := w.service.Operation(t.Context(), stream, "op"); err != nil || o.Status != "completed" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestQueuedPromptIsInvisibleToTheRunningTurn(t *testing.T) {
	w := newWorld(t)
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		if n == 1 {
			w.submit(session.Submission{Prompt: "the second", OperationID: "b"})
			return []model.Part{call("c", "workspace_list", `{}`)}, nil
		}
		var prompts []string
		for _, p := range shown(r) {
			if p.Text != "" {
				prompts = append(prompts, p.Text)
			}
		}
		return []model.Part{{Text: strings.Join(prompts, "|")}}, nil
	})
	w.submit(session.Submission{Prompt: "the first", OperationID: "a"})
	w.drive("a", 1)
	w.drive("b", 1)
	for id, want := range map[string]string{"a": "the first", "b": "the first|the first|the second"} {
		o, err := w.service.Operation(t.Context(), stream, id)
		if err != nil {
			t.Fatal(err)
		}
		if o.Output.Inline() != want {
			t.Errorf("%s saw %q, want %q", id, o.Output.Inline(), want)
		}
	}
}

func TestRoundsPerTaskLeavesTheSameEvents(t *testing.T) {
	var logs [3]string
	for i, rounds := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.loop.Limits.RoundsPerTask = rounds
			w.submit(session.Submission{Prompt: `{"rounds":9,"callsPerRound":4,"toolBytes":64,"answerBytes":10,"reasoningBytes":5,"latencyMs":3}`, OperationID: "op", Agent: "stress"})
			w.drive("op", 1)
			if want := map[int]int{0: 1, 1: 10, 3: 4}[rounds]; w.entries != want {
				t.Errorf("%d rounds a task: %d entries, want %d", rounds, w.entries, want)
			}
			for _, e := range w.events() {
				e.At = event.Time{}
				if s, ok := e.Data.(event.ToolStarted); ok {
					s.Until = event.Time{}
					e.Data = s
				}
				b, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				logs[i] += string(b) + "\n"
			}
		})
	}
	for i := range logs[1:] {
		if d := cmp.Diff(logs[0], logs[i+1]); d != "" {
			t.Errorf("events differ (-default +other):\n%s", d)
		}
	}
}
