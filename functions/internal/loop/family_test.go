package loop_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/model"
	"windlass/functions/internal/price"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// family is a world of a parent, whose agent may ask boss and worker, and its children.
type family struct {
	*world
	store *memory.Driver
	// calls are what the parent asks for first; read is what came of them.
	calls []model.Part
	read  []projection.Result
	// work is what a child says to its prompt.
	work func(ctx context.Context, prompt string, r model.Request) ([]model.Part, error)
	d    *dead
}

// spoken ends an answer, with what it used.
var spoken = model.Part{Stop: model.StopEnd, Usage: event.Tokens{InputTokens: 80, OutputTokens: 20}}

func newFamily(t *testing.T, calls ...model.Part) *family {
	t.Helper()
	return newLimited(t, "{maxTurnTokens: 10000, maxTurnCost: 1.00}", calls...)
}

// newLimited is a family with the given limits of the parent's agent.
func newLimited(t *testing.T, limits string, calls ...model.Part) *family {
	t.Helper()
	f := &family{world: newWorld(t), store: memory.New(), calls: calls, d: &dead{}}
	f.work = func(_ context.Context, prompt string, _ model.Request) ([]model.Part, error) {
		return []model.Part{{Text: "did " + prompt}, spoken}, nil
	}
	var ids atomic.Int64 // calls are handed over at the same time
	f.service.NewID = func(time.Time) string { return fmt.Sprint("id-", ids.Add(1)) }
	f.journal = eventstore.New(f.store, eventstore.WithBlobs(f.blobs))
	f.agents(limits)
	var err error
	if f.loop.Prices, err = price.Read([]byte("- {model: scripted/demo, input: 1, output: 1}")); err != nil {
		t.Fatal(err)
	}
	f.loop.Tools = maps.Clone(tool.All)
	f.loop.Tools["slow"] = tool.Define(tool.Tool{Name: "slow", Effect: tool.Read, Timeout: time.Minute}, func(struct{}) string { return "" },
		func(context.Context, tool.Env, struct{}) (tool.Result, error) {
			time.Sleep(20 * time.Second)
			return tool.Result{Output: "at last"}, nil
		})
	f.on(f.journal)
	f.model(func(ctx context.Context, _ int, r model.Request) ([]model.Part, error) {
		if prompt := shown(r)[0].Text; prompt != "go" {
			return f.work(ctx, prompt, r)
		}
		if all := results(r); len(all) > 0 {
			f.read = all
			return []model.Part{{Text: outputs(all)}, spoken}, nil
		}
		return append(f.calls, spoken), nil
	})
	f.submit(session.Submission{Prompt: "go", OperationID: "op"})
	return f
}

// agents are boss, with limits, which may ask itself and worker, and worker.
func (f *family) agents(limits string) {
	f.t.Helper()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	c, err := agent.Read(fstest.MapFS{
		"boss.yaml": file("name: boss\nmodel: {provider: scripted, name: demo}\nlimits: " + limits +
			"\ntools: [{name: delegate, with: {agents: [worker, boss, gone]}}, slow, {name: workspace_list, permission: ask}]"),
		"worker.yaml": file("name: worker\nmodel: {provider: scripted, name: demo}\ntools: [{name: workspace_list, permission: ask}]"),
	}, "boss", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.service.Agents = c
}

// on has everybody work on a journal.
func (f *family) on(j *eventstore.Journal) {
	f.service.Journal, f.service.Opened, f.loop.Journal = j, &fold.Sessions{}, j
	f.loop.Families = &delegation.Families{Sessions: f.service, Journal: j, Wake: f.Wake, Now: time.Now}
}

// mend ends what the kill of a process has broken.
func (f *family) mend() {
	if f.d.at > 0 && f.loop.Journal != f.journal {
		f.on(f.journal)
	}
}

func outputs(all []projection.Result) string {
	var read []string
	for _, r := range all {
		read = append(read, r.Output)
	}
	return strings.Join(read, "; ")
}

func ask(id, agent, prompt string) model.Part {
	return call(id, "delegate", fmt.Sprintf(`{"agent":%q,"prompt":%q}`, agent, prompt))
}

// log is a session's, whatever of it there is.
func (f *family) log(s eventstore.Stream) (all []eventstore.Commit) {
	f.t.Helper()
	for c, err := range f.journal.Read(context.WithoutCancel(f.t.Context()), s, 0) {
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// tally is how often each kind of event stands in a session's log.
func (f *family) tally(s eventstore.Stream) map[string]int {
	n := map[string]int{}
	for _, c := range f.log(s) {
		for _, e := range c.Events {
			n[e.Data.EventType()]++
		}
	}
	return n
}

// children are those that a session's log names.
func (f *family) children(s eventstore.Stream) (all []eventstore.Stream) {
	for _, c := range f.log(s) {
		for _, e := range c.Events {
			if d, ok := e.Data.(event.ChildSubmitted); ok {
				all = append(all, eventstore.Stream{Tenant: s.Tenant, Session: d.Session})
			}
		}
	}
	return all
}

// everybody is a session and all below it.
func (f *family) everybody(s eventstore.Stream) []eventstore.Stream {
	all := []eventstore.Stream{s}
	for _, c := range f.children(s) {
		all = append(all, f.everybody(c)...)
	}
	return all
}

// drive plays the state machine for a session's head, until it is done or parked.
func (f *family) drive(s eventstore.Stream) string {
	f.t.Helper()
	end, err := f.driven(s)
	if err != nil {
		f.t.Fatal(err)
	}
	return end
}

func (f *family) driven(s eventstore.Stream) (string, error) {
	head, _, err := f.journal.Head(f.t.Context(), s)
	if err != nil {
		return "", err
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err != nil || sum.Head == nil {
		return "done", err
	}
	doc := loop.Document{Turn: execution.Turn{Tenant: s.Tenant, Session: s.Session, Operation: sum.Head.Operation, Generation: sum.Head.Generation}}
	for range 50 {
		f.entries++
		next, err := f.loop.Drive(f.t.Context(), loop.Task{Turn: doc, Execution: "e", EnteredAt: fmt.Sprint(f.entries)}, "r")
		f.mend()
		switch {
		case err != nil:
			time.Sleep(time.Second)
			continue
		case next.Next == "done" || next.Next == "park":
			f.parked = next.ParkSeconds
			return next.Next, nil
		case next.Next == "backoff":
			time.Sleep(time.Until(next.Until.Time))
		}
		doc = next
	}
	return "", fmt.Errorf("no end of %v", s)
}

// heed delivers all commits of a session, as often as it fails.
func (f *family) heed(s eventstore.Stream) {
	f.t.Helper()
	for _, c := range f.log(s) {
		for f.loop.Families.Heed(f.t.Context(), c.Record) != nil {
			if f.loop.Journal == f.journal {
				f.t.Fatal("a commit cannot be heeded")
			}
			f.mend()
		}
	}
}

// play drives everybody and delivers all commits again and again, until all is done.
func (f *family) play() {
	f.t.Helper()
	for range 20 {
		done := true
		for _, s := range f.everybody(stream) {
			done = f.drive(s) == "done" && done
			f.heed(s)
		}
		if done {
			return
		}
	}
	f.t.Fatalf("no end:\n%s", f.types())
}

func (f *family) operation(s eventstore.Stream, id string) view.Operation {
	f.t.Helper()
	o, err := f.service.Operation(f.t.Context(), s, id)
	if err != nil {
		f.t.Fatal(err)
	}
	return o
}

// heads are how many events each session has.
func (f *family) heads(all []eventstore.Stream) (n []uint64) {
	for _, s := range all {
		_, at, err := f.journal.Head(f.t.Context(), s)
		if err != nil {
			f.t.Fatal(err)
		}
		n = append(n, at.Seq())
	}
	return n
}
