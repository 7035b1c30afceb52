package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
)

// schedules lets writers append to one stream through a flaky driver: answers
// are lost, requests doubled, refused, or held back and landed at some other
// time; writers die and their clients send again. The invariants are those of
// the protocol's model.
func schedules(t *testing.T, d eventstore.Driver) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { newSchedule(d, seed).run(t) })
	}
}

const (
	submitters = 3 // they share the keys that they claim
	drivers    = 2 // they append commits of two events
	rounds     = 5
	patience   = 500 // tries of one commit
)

type schedule struct {
	flaky  *flaky.Driver
	stream eventstore.Stream
	seed   uint64

	mu      sync.Mutex
	deaths  map[string]context.CancelFunc // by writer: ends the call under way
	acked   map[string]eventstore.Record
	refused []string
}

func newSchedule(d eventstore.Driver, seed uint64) *schedule {
	s := &schedule{stream: newStream(), seed: seed, deaths: map[string]context.CancelFunc{}, acked: map[string]eventstore.Record{}}
	dice := rand.New(rand.NewPCG(seed, 0)) // asked under the driver's lock
	in100 := func(n int) flaky.When { return func(flaky.Call) bool { return dice.IntN(100) < n } }
	s.flaky = flaky.New(d, flaky.Script{
		{When: in100(8), Do: flaky.Throttle},
		{When: in100(8), Do: flaky.Fail},
		{When: in100(15), Do: flaky.Lose},
		{When: in100(10), Do: flaky.Twice},
		{When: in100(10), Do: flaky.Hold},
		{When: func(c flaky.Call) bool { return c.Op == flaky.Append && dice.IntN(100) < 10 && s.die(c) }, Do: flaky.Hold},
	})
	return s
}

// die ends the writer's call: its request is still under way, nobody waits.
func (s *schedule) die(c flaky.Call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaths[c.Write.Record.By]()
	return true
}

func (s *schedule) run(t *testing.T) {
	var wg sync.WaitGroup
	for i := range submitters + drivers {
		wg.Go(func() {
			w := newWriter(s, i)
			for round := range rounds {
				if i < submitters {
					w.submit(t, round)
				} else {
					w.commit(t, eventstore.Draft{Events: []event.Event{happened(""), happened("")}})
				}
			}
		})
	}
	wg.Wait()
	before := s.log(t)
	for range s.flaky.Held() { // the late ones reach a log that has gone on
		_ = s.flaky.Land(t.Context())
	}
	after := s.log(t)
	equal(t, "the log before the late requests landed", before, after[:min(len(before), len(after))])
	s.check(t, after)
}

// log reads what is stored; a gap, a double cover or a torn record is an error.
func (s *schedule) log(t *testing.T) (log []eventstore.Record) {
	t.Helper()
	for c, err := range s.journal().Read(t.Context(), s.stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, c.Record)
	}
	return log
}

func (s *schedule) journal(o ...eventstore.Option) *eventstore.Journal {
	return eventstore.New(s.flaky, append(o, eventstore.WithRetry(eventstore.Retry{
		Attempt: deadline, Total: deadline, First: time.Microsecond, Max: 50 * time.Microsecond}))...)
}

func (s *schedule) check(t *testing.T, log []eventstore.Record) {
	stored := map[string]eventstore.Record{}
	for _, r := range log {
		if _, twice := stored[r.ID]; twice {
			t.Errorf("commit %s is stored twice", r.ID)
		}
		stored[r.ID] = r
	}
	for id, want := range s.acked {
		equal(t, "acknowledged commit "+id, want, stored[id])
	}
	for _, id := range s.refused {
		if _, ok := stored[id]; ok {
			t.Errorf("commit %s is stored, and was refused", id)
		}
	}
	accepted := map[string][]uint64{}
	j := s.journal()
	for c, err := range j.Read(t.Context(), s.stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range c.Events {
			if e.Operation != "" {
				accepted[e.Operation] = append(accepted[e.Operation], e.Seq)
			}
		}
	}
	for round := range rounds {
		claim, err := j.Claim(t.Context(), s.stream, key(round))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "seqs that accept "+claim.Key, []uint64{claim.First}, accepted[claim.Key])
	}
}

func key(round int) string { return "op-" + name(round) }

func happened(operation string) event.Event {
	return event.Event{Operation: operation, Data: event.OperationStarted{}}
}

// writer is one process after another under one name.
type writer struct {
	*schedule
	name    string
	dice    *rand.Rand
	journal *eventstore.Journal
	last    string // the newest commit id
}

func newWriter(s *schedule, i int) *writer {
	w := &writer{schedule: s, name: fmt.Sprintf("writer-%d", i), dice: rand.New(rand.NewPCG(s.seed, uint64(i+1)))}
	w.journal = s.journal(eventstore.WithIDs(func(time.Time) string {
		w.last = ulid.Make().String()
		return w.last
	}))
	return w
}

// submit claims the round's key until it or somebody else's claim is stored.
func (w *writer) submit(t *testing.T, round int) {
	d := eventstore.Draft{Events: []event.Event{happened(key(round))}, Claim: &eventstore.Claim{Key: key(round), Fingerprint: w.name}}
	err := w.commit(t, d)
	var claimed *eventstore.Claimed
	if errors.As(err, &claimed) && claimed.Existing.Key != key(round) {
		t.Errorf("%s claimed %s and was shown %s", w.name, key(round), claimed.Existing.Key)
	}
}

// commit decides again after each lost race, and sends again after each death.
func (w *writer) commit(t *testing.T, d eventstore.Draft) error {
	d.By = w.name
	for range patience {
		if w.dice.IntN(4) == 0 {
			_ = w.flaky.Land(t.Context()) // whoever sent it hears nothing
		}
		_, at, err := w.journal.Head(t.Context(), w.stream)
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			return err
		}
		c, _, err := w.append(t, at, d)
		w.mu.Lock()
		switch code := eventstore.CodeOf(err); {
		case err == nil:
			w.acked[w.last] = c.Record
		case code == eventstore.LostRace || code == eventstore.AlreadyClaimed:
			w.refused = append(w.refused, w.last)
		case code != eventstore.Unavailable:
			t.Errorf("%s: %v", w.name, err)
		}
		w.mu.Unlock()
		if err == nil || eventstore.CodeOf(err) == eventstore.AlreadyClaimed {
			return err
		}
	}
	t.Errorf("%s: no commit in %d tries", w.name, patience)
	return nil
}

func (w *writer) append(t *testing.T, at eventstore.Position, d eventstore.Draft) (eventstore.Commit, eventstore.Position, error) {
	ctx, die := context.WithCancel(t.Context())
	defer die()
	w.mu.Lock()
	w.deaths[w.name] = die
	w.mu.Unlock()
	return w.journal.Append(ctx, at, d)
}
