package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
)

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
