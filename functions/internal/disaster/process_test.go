package disaster

import (
	"context"
	"time"

	"windlass/eventstore"
)

// process is one invocation of one function: what may be killed. It is driven by a
// newer one if its number is higher.
type process struct {
	w      *world
	n      int
	drives bool
	ctx    context.Context
	kill   context.CancelFunc

	// thaws is when a frozen process goes on; gone is closed when its caller has given
	// it up.
	thaws time.Time
	gone  chan struct{}
}

type processKey struct{}

// of is the process that a context belongs to.
func of(ctx context.Context) *process { return ctx.Value(processKey{}).(*process) }

// run runs something in a process of its own, and returns when it has, or when the
// process is dead, or given up. What comes of it then reaches nobody.
func (w *world) run(drives bool, within time.Duration, do func(*process)) (alive bool) {
	p := &process{w: w, drives: drives, gone: make(chan struct{})}
	p.ctx, p.kill = context.WithTimeout(context.WithValue(w.ctx, processKey{}, p), within)
	w.mu.Lock()
	w.born++
	p.n = w.born
	w.alive[p] = true
	w.mu.Unlock()
	lived := make(chan bool, 1)
	w.tasks.Go(func() {
		do(p)
		lived <- p.ctx.Err() == nil
		p.kill()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.alive, p)
	})
	select {
	case alive = <-lived:
	case <-p.gone:
	case <-p.ctx.Done():
		select {
		case alive = <-lived: // that is why it is done
		default:
		}
	}
	return alive
}

func (w *world) killAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for p := range w.alive {
		p.kill()
	}
}

// noAnswer is what a caller hears of a call that failed.
func noAnswer(w what) error {
	return eventstore.Errorf(eventstore.Unavailable, string(w), "no answer")
}

// call lets a call out of the process, and is where every disaster happens. A dead
// process calls nobody, and whose time is over sends nothing.
func (p *process) call(ctx context.Context, w what, do func() error) error {
	p.w.land(p)
	p.thaw()
	if p.ctx.Err() != nil || ctx.Err() != nil {
		return noAnswer(w)
	}
	s, hit := p.w.plan.meets(w)
	if !hit {
		return do()
	}
	switch s.does {
	case lost, killedAfter, allKilled:
		_ = do() // nobody hears the answer
	case late, killedLate:
		p.w.hold(held{by: p, land: s.land, do: do})
	case doubled:
		_ = do()
		return do()
	case stopped, unheard:
		p.w.machine.stopAll(s.does == stopped)
		return do()
	case frozen:
		p.freeze(s.land)
		return p.call(ctx, w, do)
	}
	switch s.does {
	case killedBefore, killedAfter, killedLate:
		p.kill()
	case allKilled:
		p.w.killAll()
	}
	return noAnswer(w)
}

// freezes are how long a process stands still: less than an attempt of the log's
// takes, more than that, and longer than the log is tried.
var freezes = []time.Duration{1500 * time.Millisecond, 6 * time.Second, 25 * time.Second}

// stillest is longer than anything stands still, or is under way.
var stillest = freezes[2] + time.Second

// freeze gives a process up that goes on all the same, when a newer one is at work.
func (p *process) freeze(land int) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.thaws = time.Now().Add(freezes[(land-1)%len(freezes)])
	select {
	case <-p.gone:
	default:
		close(p.gone)
	}
}

// thaw waits until the process goes on.
func (p *process) thaw() {
	p.w.mu.Lock()
	still := time.Until(p.thaws)
	p.w.mu.Unlock()
	if still > 0 {
		pause(p.ctx, still)
	}
}

// held is a call that is still under way when its caller is not waiting any more.
type held struct {
	by   *process
	land int
	do   func() error
}

// longest is how long a call is under way at most. It is less than the time of a
// tool: what lands after that is refused by whoever it was sent to.
const longest = 10 * time.Second

func (w *world) hold(h held) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := &h
	w.held[one] = true
	w.tasks.Go(func() {
		w.sleep(longest)
		w.mu.Lock()
		waits := w.held[one]
		delete(w.held, one)
		w.mu.Unlock()
		if waits {
			_ = one.do()
		}
	})
}

// land lets what is due land before p goes on. What a driver sent is due by the
// calls of newer drivers, all else by those of anybody newer.
func (w *world) land(p *process) {
	var due []*held
	w.mu.Lock()
	for h := range w.held {
		if p.n <= h.by.n || h.by.drives && !p.drives {
			continue
		}
		if h.land--; h.land <= 0 {
			due = append(due, h)
			delete(w.held, h)
		}
	}
	w.mu.Unlock()
	for _, h := range due {
		_ = h.do()
	}
}
