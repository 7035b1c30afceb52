package fanout_test

import (
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore/event"
)

// The promise: whatever is lost, doubled, late, reordered or cut off between the
// log and a client, and whoever else follows, each client hands on every event
// once, in the log's order.
func TestEveryFollowerSeesTheLogOnceInOrder(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			one, two := &follower{}, &follower{operation: "a"}
			w := newWorld(t, seed, one, two, &follower{}, &follower{operation: "b"})
			for range 300 {
				w.act()
				synctest.Wait()
				w.check(seed)
			}
			w.finish(seed)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// act does any one thing that can happen.
func (w *world) act() {
	f := w.clients[w.r.IntN(len(w.clients))]
	switch w.r.IntN(14) {
	case 0, 1:
		if len(w.records) == len(w.pending) || w.r.IntN(2) == 0 {
			w.settleAppends()
			w.append()
		}
	case 2, 3:
		w.deliver()
	case 4:
		if f.connected == "" {
			w.connect(f)
		}
	case 5:
		if f.connected != "" && len(w.log) > 0 && (!f.asked || w.r.IntN(4) == 0) { // twice at once, too
			w.subscribe(f)
		}
	case 6, 7:
		w.read(f)
	case 8:
		if f.connected != "" && w.r.IntN(4) == 0 {
			w.mu.Lock()
			w.drop(f.connected)
			w.mu.Unlock()
		}
	case 9:
		if f.connected != "" {
			w.send(f, "ping", "")
		}
	case 10:
		if w.r.IntN(4) == 0 {
			time.Sleep(time.Duration(w.r.IntN(20)) * time.Second)
		}
	default:
		w.free()
	}
}

// settleAppends: the log has one writer here, so its appends end before the next.
func (w *world) settleAppends() {
	for before := -1; before != len(w.waiting); synctest.Wait() {
		before = len(w.waiting)
		for i, p := range w.waiting {
			if p.label == "append" {
				close(p.going)
				w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
				break
			}
		}
	}
}

// check: what a client handed on is the beginning of its part of the log.
func (w *world) check(seed uint64) {
	w.t.Helper()
	for i, f := range w.clients {
		want := w.part(f.operation)
		if len(f.got) > len(want) {
			w.t.Fatalf("seed %d: client %d handed on %d events of %d", seed, i, len(f.got), len(want))
		}
		for n, e := range f.got {
			if e.Seq != want[n].Seq || e.OperationID != want[n].Operation {
				w.t.Fatalf("seed %d: client %d handed on %d as its event %d, want %d", seed, i, e.Seq, n, want[n].Seq)
			}
		}
	}
}

func (w *world) part(operation string) (part []event.Event) {
	for _, e := range w.log {
		if operation == "" || e.Operation == operation {
			part = append(part, e)
		}
	}
	return part
}

// finish lets the faults end: then every client gets everything, by its own rule
// alone, and nothing is left of connections that are gone.
func (w *world) finish(seed uint64) {
	w.faults = false
	w.settle()
	if len(w.log) == 0 {
		w.append()
	}
	for range 20 {
		w.settle()
		for _, f := range w.clients {
			for len(f.inbox) > 0 {
				w.read(f)
			}
			switch {
			case f.connected == "":
				w.connect(f)
				w.subscribe(f)
			case f.behind():
				w.subscribe(f)
			default:
				w.send(f, "ping", "")
			}
		}
		w.settle()
		w.deliver()
	}
	w.settle()
	w.tasks.Wait()
	w.check(seed)
	for i, f := range w.clients {
		if want := w.part(f.operation); len(f.got) != len(want) || f.cursor.At != uint64(len(w.log)) {
			w.t.Errorf("seed %d: client %d (%q) got %d events of %d, its cursor is %d of %d", seed, i, f.operation, len(f.got), len(want), f.cursor.At, len(w.log))
		}
	}
	for id := range w.dead {
		if _, left := w.rows[id]; left || len(w.subs[id]) > 0 {
			w.t.Errorf("seed %d: %s is gone, and its rows are not", seed, id)
		}
	}
}
