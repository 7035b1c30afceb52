package proof

import (
	"time"
	"windlass/eventstore/event"

	"windlass/functions/internal/turn"
)

// form is what a world is as far as any step can tell: two of the same form have the
// same future. It leaves out where in the log something stands, when it was, who of
// the dead wrote it, and what was said; what is left in a budget for what can come
// no more; and it puts alike drivers in one order.
type form struct {
	x     *explorer
	w     *world
	order [drivers]int // driver by place
	times deadlines
	deaf  bool          // nobody reads the table's stream
	most  int           // starts that are counted: one more is as good as many more
	delay time.Duration // between starts, the same each time
	b     []byte
}

func (f *form) of(w *world) []byte {
	f.w, f.b, f.times = w, f.b[:0], w.deadlines(f.delay)
	f.order = [drivers]int{0, 1}
	if before(&w.driver[1], &w.driver[0]) {
		f.order = [drivers]int{1, 0}
	}
	f.state(w.state)
	f.drivers()
	f.ledger()
	f.children()
	f.environment()
	f.budget()
	return f.b
}

func before(a, b *driver) bool {
	return rankOf(a) > rankOf(b)
}

func rankOf(d *driver) int {
	return int(bit(d.on, 7) | bit(d.attached, 6) | bit(d.read, 5) | bit(d.first, 4) | d.op<<2 | d.gen)
}

func bit(b bool, n int) byte {
	if b {
		return 1 << n
	}
	return 0
}

func (f *form) put(b ...byte) { f.b = append(f.b, b...) }

// name is a driver's place; all that are gone are one.
func (f *form) name(s string) byte {
	if s == "" {
		return 0
	}
	for place, i := range f.order {
		if d := &f.w.driver[i]; d.on && d.name == s {
			return byte(place + 1)
		}
	}
	return 9
}

func phase(p turn.Phase) byte {
	switch p {
	case turn.Pending:
		return 1
	case turn.Open:
		return 2
	case turn.Done:
		return 3
	case turn.Unknown:
		return 4
	case turn.Asked:
		return 5
	case turn.Happened:
		return 6
	case turn.Denied:
		return 7
	case turn.Elsewhere:
		return 8
	case turn.Reported:
		return 9
	}
	return 0
}

func (f *form) state(s *turn.State) {
	f.put(byte(len(s.Queue)), bit(s.Waited, 0))
	for _, op := range s.Queue {
		f.operation(op)
	}
}

func (f *form) operation(op *turn.Operation) {
	f.put(byte(indexOf(op.ID)), bit(op.Started, 0)|bit(op.CancelRequested, 1)|bit(op.Model.Empty, 2)|bit(op.Model.Fault != nil, 3)|bit(op.Model.RetryAt != nil, 4),
		byte(op.Generation), byte(op.Stalls), byte(op.Steered), byte(op.Round), f.times.rank(op.NotBefore.Time))
	f.put(phase(op.Model.Phase), byte(op.Model.Attempt), byte(op.Asking.Times), byte(len(op.Calls)))
	f.put(byte(op.Model.Failures), byte(op.Model.Tries), byte(op.Model.Compactions), byte(op.Model.CompactFailures), bit(op.NoCompaction, 0)|bit(op.Model.Purpose != "", 1))
	if op.Model.RetryAt != nil {
		f.put(f.times.rank(op.Model.RetryAt.Time))
	}
	if op.Model.Phase == turn.Open {
		f.start(op.Model.Start)
	}
	for i := range op.Calls {
		f.call(&op.Calls[i])
	}
}

func (f *form) start(s turn.Start) {
	f.put(f.name(s.By), byte(min(s.Count, f.most)))
	if f.delay > 0 {
		f.put(f.times.rank(s.At.Add(f.delay)))
	}
}

func (f *form) call(c *turn.Call) {
	f.put(phase(c.Phase))
	if c.Phase == turn.Done || c.Phase == turn.Pending && c.Effect == "" && !c.Approved {
		return
	}
	f.put(bit(c.Effect == turn.Once, 0) | bit(c.Output != nil, 1) | bit(c.Approved, 2) | bit(c.Question.Reason == event.ReasonPolicy, 3) | bit(c.Again, 4))
	if c.Phase == turn.Asked {
		f.put(f.times.rank(c.Question.ExpiresAt.Time))
	}
	switch {
	case c.Phase == turn.Deferred:
		f.put(f.times.rank(c.Until.Time))
	case c.Phase != turn.Open:
	case c.Effect == turn.Once:
		f.put(f.name(c.Start.By), f.times.rank(c.Until.Add(turn.UntilMargin)), bit(c.Inherited, 0))
	default:
		f.start(c.Start)
	}
}

func (f *form) ledger() {
	for i := range f.w.ledger.op {
		op := &f.w.ledger.op[i]
		f.put(bit(op.accepted, 0)|bit(op.started, 1)|bit(op.cancelled, 2)|bit(op.ended, 3), byte(op.unread))
		if !op.ended {
			f.put(byte(op.round), byte(op.attempt), byte(op.model), byte(op.asked))
			for _, c := range op.call {
				f.put(byte(c.step)|bit(c.unknown, 3)|bit(c.inquiry, 4)|bit(c.allowed, 5)|bit(c.refused, 6), bit(c.away, 0)|bit(c.told, 1)|bit(c.left, 2))
			}
		}
		for r := range op.did {
			for c, d := range op.did[r] {
				if !op.ended && r == op.round || f.runs(i, r, c) {
					f.put(byte(r), d.times, byte(d.said))
				}
			}
		}
	}
}

// children: of one that is there it does not matter how it came to be, nor whether the
// end of one that nobody waits for is told.
func (f *form) children() {
	for r := range f.w.child {
		for c, k := range f.w.child[r] {
			if k.at != unborn {
				k.known, k.dropped = false, false
			}
			k.unheard = k.unheard && f.x.awaited(f.w, r, c)
			f.put(byte(k.at) | bit(k.known, 3) | bit(k.unheard, 4) | bit(k.letGo, 5) | bit(k.dropped, 6))
		}
	}
}

// runs: a driver may still carry the call out.
func (f *form) runs(op, round, c int) bool {
	for i := range f.w.driver {
		if d := &f.w.driver[i]; d.on && int(d.op) == op && d.round == round && d.run[c] {
			return true
		}
	}
	return false
}

func (f *form) environment() {
	w := f.w
	for op := range w.exec {
		for _, e := range w.exec[op] {
			f.put(byte(e.at))
		}
		f.tokens(op)
	}
	for _, k := range w.waker {
		f.put(byte(k.at), bit(k.dispatch, 0)|bit(k.answer[0], 1)|bit(k.answer[1], 2), k.op, k.gen)
	}
	f.put(bit(w.unhandled && !f.deaf, 0))
}

// tokens says of each, which is older and which is awaited.
func (f *form) tokens(op int) {
	w := f.w
	r := w.row[op]
	f.put(r.gen, bit(r.token != 0, 0)|bit(r.token != 0 && w.awaits(parking{op: uint8(op), gen: r.gen, token: r.token}), 1))
	for i := range w.park {
		p := w.park[i]
		if p.on && int(p.op) == op {
			f.put(1|bit(p.second, 1)|bit(w.awaits(p), 2)|bit(r.newer(p.gen, p.token), 3), p.gen)
		}
	}
	f.put(bit(w.park[0].token > w.park[1].token, 0))
}

// budget leaves out what nobody can use any more.
func (f *form) budget() {
	b, l := f.w.left, &f.w.ledger
	for i := range l.op {
		if l.op[i].ended {
			b.Cancel &^= 1 << i
		}
	}
	if l.op[0].ended {
		b.Steer = 0
		if !f.running() {
			b.Ambig = 0
		}
	}
	f.put(b.Crash, b.Timeout, b.ExecFail, b.Ambig, b.ModelFail, b.Stray, b.Again, b.Drop, b.Short, b.Roll, b.Spont, b.Day, b.Steer, b.Cancel)
}

// running: a driver of the first operation still carries something out.
func (f *form) running() bool {
	for i := range f.w.driver {
		if d := &f.w.driver[i]; d.on && d.op == 0 && d.running() {
			return true
		}
	}
	return false
}
