package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
)

// shop is a service outside that counts what it was told to do, by key.
type shop struct {
	charged map[string]int
	keys    []string
	// fail decides what the caller hears of the n-th charge; nil is success.
	fail func(n int) error
	// slow is how long it takes, in nanoseconds.
	slow atomic.Int64
}

type chargeArgs struct {
	Amount int `json:"amount"`
}

// charge is a tool that must not be repeated.
func (s *shop) charge(reconciles bool) *tool.Tool {
	t := tool.Tool{Name: "charge", Description: "charges", Effect: tool.Once, Timeout: 30 * time.Second}
	if reconciles {
		t.Reconcile = func(_ context.Context, env tool.Env, _ json.RawMessage) (*tool.Result, error) {
			if s.charged[env.Key] == 0 {
				return nil, nil
			}
			return &tool.Result{Output: "it was charged"}, nil
		}
	}
	return tool.Define(t, func(chargeArgs) string { return "shop" }, func(ctx context.Context, env tool.Env, _ chargeArgs) (tool.Result, error) {
		if slow := time.Duration(s.slow.Load()); slow > 0 {
			wait := time.NewTimer(slow)
			defer wait.Stop()
			select {
			case <-wait.C:
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
		}
		s.charged[env.Key]++
		s.keys = append(s.keys, env.Key)
		if s.fail != nil {
			if err := s.fail(len(s.keys)); err != nil {
				return tool.Result{}, err
			}
		}
		return tool.Result{Output: "charged"}, nil
	})
}

// charging is a world whose model asks for one charge and then is done.
func charging(t *testing.T, s *shop, reconciles bool) (*world, *memory.Driver) {
	w := newWorld(t)
	store := memory.New()
	w.journal = eventstore.New(store, eventstore.WithBlobs(w.blobs))
	w.service.Journal, w.loop.Journal, w.service.Opened = w.journal, w.journal, &fold.Sessions{}
	w.service.Agents = catalog(t, "[charge]")
	w.loop.Tools = tool.Set{"charge": s.charge(reconciles)}
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		if len(results(r)) > 0 {
			return []model.Part{{Text: "done"}}, nil
		}
		return []model.Part{call("c", "charge", `{"amount":5}`)}, nil
	})
	s.charged = map[string]int{}
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	return w, store
}

// run plays the state machine until the turn is done or parked, trying again what
// fails; it returns the last state.
func (w *world) run() string {
	w.t.Helper()
	doc := loop.Document{Turn: execution.Turn{Tenant: "t", Session: "s", Operation: "op", Generation: 1}}
	for try := range 50 {
		next, err := w.loop.Drive(w.t.Context(), loop.Task{Turn: doc, Execution: "e", EnteredAt: fmt.Sprint(w.entries), RetryCount: try}, fmt.Sprint("r", try))
		if err != nil {
			w.loop.Journal = w.journal
			time.Sleep(time.Second)
			continue
		}
		switch doc = next; doc.Next {
		case "done", "park":
			w.parked = doc.ParkSeconds
			return doc.Next
		case "backoff":
			time.Sleep(time.Until(doc.Until.Time))
		}
	}
	w.t.Fatal("no end")
	return ""
}

func (w *world) count(kind string) (n int) {
	for _, e := range w.events() {
		if e.Data.EventType() == kind {
			n++
		}
	}
	return n
}

// failures 1 and 2: killed at any append of a turn with a call that must not be
// repeated, before or after it is stored. The effect happens once at most, and no
// more is said of it than is known.
func TestAKilledOnceCallIsNeverSimplyRunAgain(t *testing.T) {
	for _, reconciles := range []bool{true, false} {
		for n := 1; n <= 8; n++ {
			for _, what := range []flaky.Fault{flaky.Fail, flaky.Lose} {
				synctest.Test(t, func(t *testing.T) {
					s := &shop{}
					w, store := charging(t, s, reconciles)
					d := &dead{}
					first := flaky.New(store, flaky.Script{{When: d.hit(flaky.Nth(flaky.Append, n)), Do: what}, {When: d.later, Do: flaky.Fail}})
					w.loop.Journal = eventstore.New(first, eventstore.WithBlobs(w.blobs))
					end := w.run()
					if len(s.keys) > 1 {
						t.Errorf("append %d, %v: charged %d times", n, what, len(s.keys))
					}
					if end == "park" {
						if reconciles || w.count("approval.requested") != 1 {
							t.Errorf("append %d, %v: parked, with %d requests", n, what, w.count("approval.requested"))
						}
						return
					}
					if len(s.keys) != 1 || w.count("operation.completed") != 1 || w.count("tool.completed") != 1 {
						t.Errorf("append %d, %v: charged %d times; %s", n, what, len(s.keys), w.types())
					}
				})
			}
		}
	}
}

// Its outcome is unclear even to the driver that began it: nobody looks into it
// before its time is over, and then its tool is asked.
func TestAnUnclearOutcomeIsLookedInto(t *testing.T) {
	for name, c := range map[string]struct {
		fail func(int) error
		slow time.Duration
		runs int
	}{
		"the answer was lost":  {fail: func(n int) error { return errors.New("connection reset") }, runs: 1},
		"it took too long":     {slow: time.Hour, runs: 0},
		"it says so":           {fail: func(n int) error { return fmt.Errorf("504: %w", tool.ErrUnknown) }, runs: 1},
		"it panicked after it": {fail: func(n int) error { panic("oops") }, runs: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{fail: c.fail}
			s.slow.Store(int64(c.slow))
			w, _ := charging(t, s, true)
			began := time.Now()
			end := make(chan string, 1)
			go func() { end <- w.run() }()
			if c.slow > 0 { // the second run goes through
				time.Sleep(32 * time.Second)
				s.slow.Store(0)
			}
			if got := <-end; got != "done" || w.count("tool.unknown") != 1 || w.count("operation.completed") != 1 {
				t.Errorf("%s: %s\n%s", name, got, w.types())
			}
			if len(s.keys) != max(c.runs, 1) {
				t.Errorf("%s: charged %d times", name, len(s.keys))
			}
			if took := time.Since(began); took < 30*time.Second {
				t.Errorf("%s: looked into after %v, before its time was over", name, took)
			}
		})
	}
}

// Whoever says plainly that nothing happened is believed.
func TestAFailureThatIsCertainIsAResult(t *testing.T) {
	s := &shop{fail: func(int) error { return tool.Failure{Code: "declined", Message: "the card was declined"} }}
	w, _ := charging(t, s, true)
	if end := w.run(); end != "done" || w.count("tool.failed") != 1 || w.count("tool.unknown") != 0 {
		t.Errorf("%s\n%s", end, w.types())
	}
}

// A person's word ends the wait: the call is a result, or may be run.
func TestAParkedCallGoesOnByAPersonsWord(t *testing.T) {
	for decision, runs := range map[string]int{event.Happened: 1, event.DidNotHappen: 2} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{fail: func(n int) error {
				if n == 1 {
					return errors.New("connection reset")
				}
				return nil
			}}
			w, _ := charging(t, s, false)
			if end := w.run(); end != "park" {
				t.Fatalf("%s\n%s", end, w.types())
			}
			o, err := w.service.Operation(t.Context(), stream, "op")
			if err != nil || o.Status != "waiting" || o.Settled() {
				t.Errorf("%+v, %v", o, err)
			}
			w.resolve(event.ApprovalResolved{Index: 0, Decision: decision})
			w.entries++
			if end := w.run(); end != "done" || len(s.keys) != runs || w.count("tool.completed") != 1 {
				t.Errorf("%s: %s, charged %d times\n%s", decision, end, len(s.keys), w.types())
			}
		})
	}
}

// resolve appends what a person says.
func (w *world) resolve(p event.Payload) {
	w.t.Helper()
	state := turn.Fold(w.events())
	_, at, err := w.journal.Head(w.t.Context(), stream)
	if err == nil {
		op := state.Head()
		_, _, err = w.journal.Append(w.t.Context(), at, index.Draft(stream, state, "", []event.Event{{At: event.At(time.Now()), Operation: op.ID, Round: op.Round, Data: p}}))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// A cancel ends what is under way within a look at the log, whatever it is.
func TestCancelEndsWhatIsUnderWay(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(context.Context, int, model.Request) ([]model.Part, error)
		slow time.Duration
		last string
	}{
		"the model": {say: func(ctx context.Context, _ int, _ model.Request) ([]model.Part, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, last: "model.failed"},
		"a call": {say: func(context.Context, int, model.Request) ([]model.Part, error) {
			return []model.Part{call("c", "charge", `{"amount":5}`)}, nil
		}, slow: 20 * time.Second, last: "tool.failed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{}
			s.slow.Store(int64(c.slow))
			w, _ := charging(t, s, true)
			w.model(c.say)
			end := make(chan string, 1)
			go func() { end <- w.run() }()
			time.Sleep(5500 * time.Millisecond)
			began := time.Now()
			if o, err := w.service.Cancel(t.Context(), stream, "op"); err != nil || !o.CancelRequested || o.Settled() {
				t.Errorf("%s: %+v, %v", name, o, err)
			}
			if got := <-end; got != "done" || time.Since(began) > 2*time.Second {
				t.Errorf("%s: %s after %v", name, got, time.Since(began))
			}
			types := strings.Split(strings.TrimSpace(w.types()), "\n")
			if n := len(types); !strings.Contains(types[n-1], "operation.cancelled") || !strings.Contains(types[n-2], c.last) {
				t.Errorf("%s: %s", name, w.types())
			}
			if len(s.keys) != 0 {
				t.Errorf("%s: charged after the cancel", name)
			}
		})
	}
}

// What is said while the model writes is read with the next round.
func TestAMessageKeepsTheTurnGoing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var read []string
		w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			if n == 1 {
				time.Sleep(5 * time.Second)
			}
			read = nil
			for _, m := range r.Messages {
				for _, p := range m.Parts {
					read = append(read, string(m.Role)+" "+p.Text)
				}
			}
			return []model.Part{{Text: fmt.Sprint("answer ", n)}}, nil
		})
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		end := make(chan string, 1)
		go func() { end <- w.run() }()
		time.Sleep(2 * time.Second)
		if r, err := w.service.Steer(t.Context(), stream, "op", session.Message{Text: "in French", ID: "m"}); err != nil || !r.Steered {
			t.Errorf("%+v, %v", r, err)
		}
		<-end
		if got := strings.Join(read, "; "); got != "user go; assistant answer 1; user in French" {
			t.Errorf("the model read %q", got)
		}
		o, err := w.service.Operation(t.Context(), stream, "op")
		if err != nil || o.Status != "completed" || o.Output.Inline() != "answer 2" || o.Round != 2 {
			t.Errorf("%+v, %v", o, err)
		}
	})
}
