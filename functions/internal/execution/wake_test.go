package execution_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/turn"
)

const (
	firstOfA  = `{"tenant":"acme","session":"s","operation":"a","generation":1}`
	secondOfA = `{"tenant":"acme","session":"s","operation":"a","generation":2}`
	firstOfB  = `{"tenant":"acme","session":"s","operation":"b","generation":1}`
)

func (w *world) wantRunning(inputs ...string) {
	w.t.Helper()
	if got := w.m.running(); !slices.Equal(got, inputs) {
		w.t.Errorf("running: %v, want %v", got, inputs)
	}
}

func TestWakeStartsTheHeadAlone(t *testing.T) {
	w := newWorld(t)
	w.wake() // a session that does not exist
	w.wantRunning()
	w.submit(stream, "a")
	w.submit(stream, "b")
	w.wake()
	w.wantRunning(firstOfA)
	w.append(event.OperationCompleted{})
	w.m.end(types.ExecutionStatusSucceeded)
	w.wake()
	w.wantRunning(firstOfB)
	w.append(event.OperationCompleted{})
	w.m.end(types.ExecutionStatusSucceeded)
	before := len(w.m.started)
	w.wake() // nothing is left
	if len(w.m.started) != before || len(w.resumed()) != 0 {
		t.Errorf("started %v, resumed %v", w.m.started[before:], w.resumed())
	}
}

func TestWakeLeavesARunningExecutionAlone(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	for range 3 {
		w.wake()
	}
	// Another input under the same name cannot be; a running one is found anyway.
	for name := range w.m.input {
		w.m.input[name] = "{}"
	}
	w.wake()
	if len(w.resumed()) != 0 || len(w.m.running()) != 1 {
		t.Errorf("resumed %v, running %v", w.resumed(), w.m.running())
	}
}

func TestWakeGivesAClosedExecutionsTurnANewGeneration(t *testing.T) {
	for _, status := range []types.ExecutionStatus{types.ExecutionStatusFailed, types.ExecutionStatusTimedOut, types.ExecutionStatusAborted, types.ExecutionStatusSucceeded} {
		w := newWorld(t)
		w.submit(stream, "a")
		w.wake()
		w.m.end(status)
		w.wake()
		w.wantRunning(secondOfA)
		if d := cmp.Diff([]event.OperationResumed{{Reason: event.ReasonGeneration, Generation: 2}}, w.resumed()); d != "" {
			t.Errorf("%s: resumed (-want +got):\n%s", status, d)
		}
		head, _, err := w.Journal.Head(t.Context(), stream)
		if err != nil || !head.Wake || head.By != "" || string(head.Summary) != string(turn.Fold(w.events()).Summary().Encode()) {
			t.Errorf("%s: the commit is %+v, %v; want one that wakes, by nobody, with the fold's summary", status, head, err)
		}
	}
}

func TestGenerationsWithoutProgressAreSpacedAndProgressStartsAfresh(t *testing.T) {
	w := newWorld(t)
	clock := now
	w.Starter.Now = func() time.Time { return clock }
	w.submit(stream, "a")
	var got []string
	fail := func() {
		w.wake()
		w.m.end(types.ExecutionStatusFailed)
		w.wake()
		r := w.resumed()
		at := r[len(r)-1].NotBefore
		if at == nil {
			got = append(got, "at once")
			return
		}
		got = append(got, at.Sub(clock).String())
		started := len(w.m.started)
		clock = at.Add(-time.Millisecond)
		if w.wake(); len(w.m.started) != started {
			t.Errorf("generation %d was started before its time", r[len(r)-1].Generation)
		}
		clock = at.Time
	}
	for range 7 {
		fail()
	}
	w.append(event.OperationStarted{}, event.ModelStarted{Attempt: 1}, event.ModelCompleted{Attempt: 1})
	fail()
	fail()
	want := []string{"at once", "10s", "1m0s", "5m0s", "30m0s", "30m0s", "30m0s", "at once", "10s"}
	if !slices.Equal(got, want) {
		t.Errorf("delays %v, want %v", got, want)
	}
}

func TestManyWakersAtOnceMakeOneGeneration(t *testing.T) {
	for range 20 {
		w := newWorld(t)
		w.submit(stream, "a")
		w.wake()
		w.m.end(types.ExecutionStatusFailed)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := w.Wake(t.Context(), stream); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		w.wantRunning(secondOfA)
		if r := w.resumed(); len(r) != 1 {
			t.Fatalf("resumed %v, want once", r)
		}
	}
}

// Between a waker's look and its append others append: it decides again.
func TestALostRaceIsDecidedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		at      func(flaky.Call) bool // when the rival acts, in a second wake
		rival   func(w *world)
		resumed int
		running string
	}{
		"another waker appends first":    {flaky.Nth(flaky.Append, 3), func(w *world) { w.wake() }, 1, secondOfA},
		"somebody submits":               {flaky.Nth(flaky.Append, 3), func(w *world) { w.submit(stream, "c") }, 1, secondOfA},
		"the turn settles at the last":   {flaky.Nth(flaky.Append, 3), func(w *world) { w.append(event.OperationCompleted{}) }, 0, firstOfB},
		"it settled before the fold":     {flaky.Nth(flaky.Records, 5), func(w *world) { w.append(event.OperationCompleted{}) }, 0, firstOfB},
		"it was revived before the fold": {flaky.Nth(flaky.Records, 5), func(w *world) { w.wake() }, 1, secondOfA},
	} {
		t.Run(name, func(t *testing.T) {
			d := memory.New()
			rival := over(t, d)
			acted := false
			w := over(t, flaky.New(d, flaky.Script{{When: func(call flaky.Call) bool {
				if !acted && c.at(call) {
					acted = true
					c.rival(rival)
				}
				return false
			}, Do: flaky.Pass}}))
			rival.m = w.m
			rival.Client = w.m
			w.submit(stream, "a")
			w.submit(stream, "b")
			w.wake()
			w.m.end(types.ExecutionStatusFailed)
			w.wake()
			if !acted {
				t.Fatal("nothing came between")
			}
			w.wantRunning(c.running)
			if r := w.resumed(); len(r) != c.resumed {
				t.Errorf("resumed %v, want %d times", r, c.resumed)
			}
		})
	}
}

// DescribeExecution is eventually consistent: a stale answer delays, no more.
func TestAStaleDescriptionIsMadeGoodByTheNextWake(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	w.wake()
	w.m.end(types.ExecutionStatusFailed)
	w.m.describe = func() types.ExecutionStatus { return types.ExecutionStatusRunning }
	w.wake()
	if r := w.resumed(); len(r) != 0 {
		t.Errorf("resumed %v while it seemed to run", r)
	}
	w.m.describe = nil
	w.wake()
	w.wantRunning(secondOfA)
}

func TestWakeSaysWhatIsOutOfReachAndAppendsNothing(t *testing.T) {
	cause := errors.New("throttled")
	for name, set := range map[string]func(*machine){"start": func(m *machine) { m.startErr = cause }, "describe": func(m *machine) { m.descErr = cause }} {
		w := newWorld(t)
		w.submit(stream, "a")
		w.wake()
		w.m.end(types.ExecutionStatusFailed)
		set(w.m)
		if err := w.Wake(t.Context(), stream); !errors.Is(err, cause) {
			t.Errorf("%s: %v, want its cause", name, err)
		}
		if len(w.resumed()) != 0 {
			t.Errorf("%s: resumed %v", name, w.resumed())
		}
	}
	w := newWorld(t)
	w.Journal = eventstore.New(flaky.New(memory.New(), flaky.Script{{When: flaky.Reads, Do: flaky.Fail}}), eventstore.WithRetry(eventstore.Retry{Attempt: time.Second, Total: time.Millisecond}))
	if err := w.Wake(t.Context(), stream); eventstore.CodeOf(err) != eventstore.Unavailable {
		t.Errorf("the log: %v", err)
	}
}
