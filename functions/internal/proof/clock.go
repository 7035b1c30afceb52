package proof

import (
	"slices"
	"time"

	"windlass/functions/internal/turn"
)

// tick is about what an append takes: no two deadlines are the same.
const tick = time.Millisecond

// goesOn is the time that an append takes. It stays before the next deadline, which
// passes by a step of its own.
func (x *explorer) goesOn(w *world) {
	by := tick
	if all := w.deadlines(x.delays[0]); len(all) > 0 {
		by = min(by, all[0].Sub(w.now)/2).Truncate(time.Microsecond) // of the log's times
	}
	w.now = w.now.Add(by)
}

// deadlines are the moments to come at which a decision may change, in their order.
type deadlines []time.Time

func (w *world) deadlines(delay time.Duration) (all deadlines) {
	all = all.add(w.now, w.state, delay)
	for i := range w.driver {
		d := &w.driver[i]
		if !d.on {
			continue
		}
		if d.read && !d.doomed && d.view != w.state {
			all = all.add(w.now, d.view, delay)
		}
		for c := range calls {
			if d.run[c] {
				all = all.put(w.now, d.until[c].Add(turn.UntilMargin))
			}
		}
	}
	return all
}

func (l deadlines) add(now time.Time, s *turn.State, delay time.Duration) deadlines {
	for _, op := range s.Queue {
		if delay > 0 && op.Model.Phase == turn.Open {
			l = l.put(now, op.Model.Start.At.Add(delay))
		}
		l = l.put(now, op.NotBefore.Time)
		if op.Model.RetryAt != nil {
			l = l.put(now, op.Model.RetryAt.Time)
		}
		for i := range op.Calls {
			switch c := &op.Calls[i]; {
			case c.Phase == turn.Asked:
				l = l.put(now, c.Question.ExpiresAt.Time)
			case c.Phase != turn.Open:
			case c.Effect == turn.Once:
				l = l.put(now, c.Until.Add(turn.UntilMargin))
			case delay > 0:
				l = l.put(now, c.Start.At.Add(delay))
			}
		}
	}
	return l
}

func (l deadlines) put(now, at time.Time) deadlines {
	if !at.After(now) {
		return l
	}
	i, there := slices.BinarySearchFunc(l, at, time.Time.Compare)
	if there {
		return l
	}
	return slices.Insert(l, i, at)
}

// rank says of a moment all that matters: 0 if it has passed, else its place among
// those to come.
func (l deadlines) rank(at time.Time) byte {
	i, there := slices.BinarySearchFunc(l, at, time.Time.Compare)
	if !there {
		return 0
	}
	return byte(i + 1)
}

// passes: time goes by, up to the next deadline.
func (x *explorer) passes(w *world) {
	all := w.deadlines(x.delays[0])
	if len(all) == 0 {
		return
	}
	t := x.fork(w)
	t.now = all[0]
	x.emit(normal, t, "time: passes")
}
