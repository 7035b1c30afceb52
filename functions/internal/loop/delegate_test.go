package loop_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
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
	f.service.Journal, f.service.Opened, f.loop.Journal = j, &fold.Sessions{Journal: j}, j
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

// Two calls of a round go to two sessions; their answers are the calls' results, in the
// model's order, and what they used counts for the parent.
func TestAChildsAnswerIsItsCallsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "worker", "one"), ask("b", "worker", "two"))
		if end := f.drive(stream); end != "park" || f.parked != 300 {
			t.Fatalf("%s for %d s\n%s", end, f.parked, f.types())
		}
		children := f.children(stream)
		for i := range children { // the last one ends first
			c := children[len(children)-1-i]
			if end := f.drive(c); end != "done" {
				t.Fatal(end)
			}
			f.heed(c)
		}
		if end := f.drive(stream); end != "done" {
			t.Fatal(end)
		}
		want := `1 session.opened r0
2 operation.accepted r0
3 operation.started r0
4 model.started r1
5 model.completed r1
6 child.submitted r1
7 child.submitted r1
8 child.settled r1
9 child.settled r1
10 tool.completed r1
11 tool.completed r1
12 model.started r2
13 model.completed r2
14 operation.completed r0
`
		if d := cmp.Diff(want, f.types()); d != "" {
			t.Errorf("events (-want +got):\n%s", d)
		}
		o := f.operation(stream, "op")
		used := event.Usage{ModelCalls: 4, Tokens: event.Tokens{InputTokens: 320, OutputTokens: 80}, CostUSD: "0.0004"}
		if d := cmp.Diff(used, o.Usage); d != "" || o.Output == nil || o.Output.Inline() != "did one; did two" {
			t.Errorf("%+v, usage (-want +got):\n%s", o, d)
		}
	})
}

// An answer that is too long for a commit stands in the parent's own session.
func TestAChildsLongAnswerIsKeptByItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("long ", session.MaxOutput/4)
		f := newFamily(t, ask("a", "worker", "one"))
		f.work = func(context.Context, string, model.Request) ([]model.Part, error) {
			return []model.Part{{Text: long}, spoken}, nil
		}
		f.play()
		for _, e := range f.events() {
			if d, ok := e.Data.(event.ToolCompleted); ok {
				got, err := f.journal.Load(t.Context(), stream, d.Output)
				if err != nil || got != long {
					t.Errorf("%d bytes, want %d, %v", len(got), len(long), err)
				}
				return
			}
		}
		t.Errorf("no result\n%s", f.types())
	})
}

// A child that fails, is cancelled, or is taken on by nobody is an error that the model
// reads, with a code.
func TestAChildWithoutAnAnswerIsACodedError(t *testing.T) {
	for want, c := range map[string]struct {
		agent  string
		cancel bool
	}{"invalid_request": {agent: "worker"}, "cancelled": {agent: "worker", cancel: true}, "unknown_agent": {agent: "gone"}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFamily(t, ask("a", c.agent, "one"))
			f.work = func(context.Context, string, model.Request) ([]model.Part, error) {
				return nil, &model.Fault{Code: "invalid_request", Permanent: true, Message: "no"}
			}
			f.drive(stream)
			if child := f.children(stream)[0]; c.cancel {
				if _, err := f.service.Cancel(t.Context(), child, "task"); err != nil {
					t.Fatal(err)
				}
			}
			f.play()
			if len(f.read) != 1 || !f.read[0].Failed || !strings.Contains(f.read[0].Output, `"code":"`+want+`"`) {
				t.Errorf("%s: the model read %+v", want, f.read)
			}
			if n := f.tally(stream); n["child.settled"] != 1 || n["tool.failed"] != 1 || n["operation.completed"] != 1 {
				t.Errorf("%s:\n%s", want, f.types())
			}
		})
	}
}

// Nobody has told the parent: it finds out when it looks again.
func TestAParentFindsOutItselfThatItsChildHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "worker", "one"))
		f.drive(stream)
		f.drive(f.children(stream)[0])
		for range 2 { // once to find out, once to go on
			f.drive(stream)
		}
		if o := f.operation(stream, "op"); o.Output == nil || o.Output.Inline() != "did one" {
			t.Errorf("%+v\n%s", o, f.types())
		}
	})
}

// Whoever is killed before or after any append, be it the parent's driver, the child's, or
// who carries between them: each child is begun once, each call has one result, all settle.
func TestAFamilyThroughAKillAnywhere(t *testing.T) {
	for n := 1; ; n++ {
		hit := false
		for _, what := range []flaky.Fault{flaky.Fail, flaky.Lose} {
			synctest.Test(t, func(t *testing.T) {
				f := newFamily(t, ask("a", "worker", "one"), ask("b", "worker", "two"))
				broken := flaky.New(f.store, flaky.Script{{When: f.d.hit(flaky.Nth(flaky.Append, n)), Do: what}, {When: f.d.later, Do: flaky.Fail}})
				f.on(eventstore.New(broken, eventstore.WithBlobs(f.blobs)))
				f.play()
				hit = hit || f.d.at > 0
				got, want := f.tally(stream), map[string]int{"child.submitted": 2, "child.settled": 2, "tool.completed": 2, "operation.completed": 1}
				for kind, times := range want {
					if got[kind] != times {
						t.Errorf("append %d, %v: %d of %s:\n%s", n, what, got[kind], kind, f.types())
					}
				}
				for _, c := range f.children(stream) {
					if got := f.tally(c); got["operation.accepted"] != 1 || got["operation.completed"] != 1 {
						t.Errorf("append %d, %v: child: %v", n, what, got)
					}
				}
				if o := f.operation(stream, "op"); o.Output == nil || o.Output.Inline() != "did one; did two" {
					t.Errorf("append %d, %v: %+v", n, what, o)
				}
			})
		}
		if !hit {
			if n < 12 {
				t.Errorf("only %d appends were disturbed", n-1)
			}
			return
		}
	}
}

// unreachable takes no child on.
type unreachable struct{ *session.Service }

func (unreachable) Submit(context.Context, eventstore.Stream, session.Submission) (session.Receipt, error) {
	return session.Receipt{}, eventstore.Errorf(eventstore.Unavailable, "submit", "out of reach")
}

// A parent that is cancelled ends its child, and the child's own, wherever that stands;
// a commit that is delivered twice, or late, changes nothing any more.
func TestACancelledParentEndsItsChild(t *testing.T) {
	for name, c := range map[string]struct {
		work  func(context.Context, string, model.Request) ([]model.Part, error)
		begin func(*family, eventstore.Stream)
		want  string
	}{
		"not there yet": {begin: func(f *family, _ eventstore.Stream) {}, want: "cancelled"},
		"queued":        {begin: func(f *family, _ eventstore.Stream) { f.drive(stream) }, want: "cancelled"},
		"running": {work: func(ctx context.Context, _ string, _ model.Request) ([]model.Part, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, begin: func(f *family, c eventstore.Stream) {
			f.drive(stream)
			go func() { _, _ = f.driven(c) }()
			synctest.Wait()
		}, want: "cancelled"},
		"waiting for a person": {work: func(context.Context, string, model.Request) ([]model.Part, error) {
			return []model.Part{call("l", "workspace_list", "{}")}, nil
		}, begin: func(f *family, c eventstore.Stream) { f.drive(stream); f.drive(c) }, want: "cancelled"},
		"waiting for its own": {work: func(_ context.Context, prompt string, _ model.Request) ([]model.Part, error) {
			return []model.Part{ask("g", "boss", prompt+"+"), spoken}, nil
		}, begin: func(f *family, c eventstore.Stream) {
			f.drive(stream)
			f.drive(c)
			f.drive(f.children(c)[0])
		}, want: "cancelled"},
		"settled": {begin: func(f *family, c eventstore.Stream) { f.drive(stream); f.drive(c) }, want: "completed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFamily(t, ask("a", "boss", "one"))
			if c.work != nil {
				f.work = c.work
			}
			f.loop.Families.Sessions = unreachable{f.service}
			f.drive(stream) // it is in the log, and nobody has handed it over
			f.on(f.journal)
			child := f.children(stream)[0]
			c.begin(f, child)
			if o, err := f.service.Cancel(t.Context(), stream, "op"); err != nil || o.Status != "cancelled" {
				t.Fatalf("%s: %+v, %v", name, o, err)
			}
			heedAll := func() {
				for range 2 {
					for _, s := range f.everybody(stream) {
						f.heed(s)
					}
				}
				time.Sleep(2 * time.Second) // within a look, the child's driver ends
				synctest.Wait()
			}
			heedAll()
			heedAll() // late
			everybody := f.everybody(stream)
			for i, s := range everybody {
				id, want := "task", c.want
				if i == 0 {
					id, want = "op", "cancelled"
				}
				if o := f.operation(s, id); o.Status != want {
					t.Errorf("%s: number %d is %s", name, i, o.Status)
				}
			}
			if n := f.tally(stream); n["child.abandoned"] != 1 || n["child.settled"] != 0 || n["tool.failed"] != 1 {
				t.Errorf("%s:\n%s", name, f.types())
			}
			before := f.heads(everybody)
			// Who was about to hand it over, or to tell of its end, comes late.
			late := delegation.Handover{Parent: event.Parent{Session: "s", Operation: "op", Round: 1, Depth: 1}, Child: event.ChildSubmitted{Session: child.Session, Operation: "task", Agent: "boss"}, Prompt: "one"}
			if err := f.loop.Families.Hand(t.Context(), stream, late); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			heedAll()
			if d := cmp.Diff(before, f.heads(everybody)); d != "" {
				t.Errorf("%s: a late delivery changed (-before +after):\n%s", name, d)
			}
		})
	}
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

// A child's end that is delivered again, while the parent goes on, is told once.
func TestAChildsEndIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "worker", "one"))
		f.drive(stream)
		child := f.children(stream)[0]
		f.drive(child)
		for range 2 {
			f.heed(child)
		}
		f.drive(stream)
		f.heed(child)
		if n := f.tally(stream); n["child.settled"] != 1 || n["tool.completed"] != 1 {
			t.Errorf("\n%s", f.types())
		}
		if o := f.operation(stream, "op"); o.Usage.ModelCalls != 3 {
			t.Errorf("it counts %d calls of the model", o.Usage.ModelCalls)
		}
	})
}

// A child ends while its sibling still runs, so that one invocation goes on to the next
// round: what that one asks of others is handed over at once too.
func TestADelegationOfTheNextRoundIsHandedOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "worker", "one"), call("s", "slow", "{}"))
		f.model(func(ctx context.Context, _ int, r model.Request) ([]model.Part, error) {
			switch prompt := shown(r)[0].Text; {
			case prompt != "go":
				return f.work(ctx, prompt, r)
			case len(results(r)) == 0:
				return append(f.calls, spoken), nil
			}
			return []model.Part{ask("b", "worker", "two"), spoken}, nil
		})
		parked := make(chan error, 1)
		go func() { _, err := f.driven(stream); parked <- err }()
		synctest.Wait()
		child := f.children(stream)[0]
		f.drive(child)
		f.heed(child)
		if err := <-parked; err != nil {
			t.Fatal(err)
		}
		if all := f.children(stream); len(all) != 2 || len(f.log(all[1])) == 0 {
			t.Errorf("nobody has the second task\n%s", f.types())
		}
	})
}

// What a definition does not allow, or cannot be done, is an error that the model reads;
// nobody is asked.
func TestDelegationsThatAreDenied(t *testing.T) {
	for name, c := range map[string]struct {
		call model.Part
		code string
	}{
		"an agent that it may not ask": {ask("a", "stranger", "one"), "denied"},
		"no agent":                     {ask("a", "", "one"), "denied"},
		"an empty prompt":              {ask("a", "worker", " \n"), "invalid_arguments"},
		"no prompt":                    {call("a", "delegate", `{"agent":"worker"}`), "invalid_arguments"},
		"two agents":                   {call("a", "delegate", `{"agent":"stranger","Agent":"worker","prompt":"one"}`), "invalid_arguments"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFamily(t, c.call)
			if end := f.drive(stream); end != "done" {
				t.Fatal(name, end)
			}
			if len(f.read) != 1 || !strings.Contains(f.read[0].Output, `"code":"`+c.code+`"`) || f.tally(stream)["child.submitted"] != 0 {
				t.Errorf("%s: the model read %+v\n%s", name, f.read, f.types())
			}
		})
	}
}

// An agent that asks itself comes to an end: the last one does it itself.
func TestADelegationTooDeepIsDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "boss", "1"))
		f.work = func(_ context.Context, prompt string, r model.Request) ([]model.Part, error) {
			if all := results(r); len(all) > 0 {
				return []model.Part{{Text: prompt + " " + outputs(all)}, spoken}, nil
			}
			return []model.Part{ask("a", "boss", prompt+"1"), spoken}, nil
		}
		f.play()
		everybody := f.everybody(stream)
		if len(everybody) != delegation.MaxDepth+1 {
			t.Errorf("%d sessions", len(everybody))
		}
		if got := f.operation(stream, "op").Output.Inline(); !strings.HasPrefix(got, `1 11 111 {"error":{"code":"denied"`) {
			t.Errorf("the answer is %s", got)
		}
	})
}

// Children share what their parent has left; with nothing to bound the parent, each may
// use what its own agent allows.
func TestChildrenShareWhatTheirParentHasLeft(t *testing.T) {
	one, two := []model.Part{ask("a", "worker", "one")}, []model.Part{ask("a", "worker", "one"), ask("b", "worker", "two")}
	for _, c := range []struct {
		limits string
		calls  []model.Part
		want   agent.Limits
	}{
		{"{maxTurnTokens: 1000, maxTurnCost: 0.01}", one, agent.Limits{MaxTurnTokens: 900, MaxTurnCost: "0.0099"}},
		{"{maxTurnTokens: 1000, maxTurnCost: 0.01}", two, agent.Limits{MaxTurnTokens: 450, MaxTurnCost: "0.00495"}},
		{"{maxTurnTokens: 100, maxTurnCost: 0.0001}", one, agent.Limits{MaxTurnTokens: 1, MaxTurnCost: "0.000000000001"}}, // it is used up
		{"{}", one, agent.Limits{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newLimited(t, c.limits, c.calls...)
			f.drive(stream)
			for _, child := range f.children(stream) {
				if got := f.limits(child); got != c.want {
					t.Errorf("%s: one of %d children may use %+v, want %+v", c.limits, len(c.calls), got, c.want)
				}
			}
		})
	}
}

// limits are those of tokens and cost that a child was accepted with.
func (f *family) limits(child eventstore.Stream) agent.Limits {
	f.t.Helper()
	for _, c := range f.log(child) {
		for _, e := range c.Events {
			if a, ok := e.Data.(event.OperationAccepted); ok {
				def, err := agent.Pinned(a.Agent)
				if err != nil {
					f.t.Fatal(err)
				}
				return agent.Limits{MaxTurnTokens: def.Limits.MaxTurnTokens, MaxTurnCost: def.Limits.MaxTurnCost}
			}
		}
	}
	f.t.Fatal("it was not accepted")
	return agent.Limits{}
}

// What its children used bounds the parent: it is not asked again.
func TestWhatChildrenUseCountsAgainstTheParentsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "worker", "one"))
		f.work = func(context.Context, string, model.Request) ([]model.Part, error) {
			return []model.Part{{Text: "much"}, {Stop: model.StopEnd, Usage: event.Tokens{InputTokens: 10000}}}, nil
		}
		f.play()
		if o := f.operation(stream, "op"); o.Status != "failed" || o.Error.Code != "budget_exhausted" || o.Usage.InputTokens != 10080 || f.read != nil {
			t.Errorf("%+v, it read %+v", o, f.read)
		}
	})
}
