package disaster

import (
	"fmt"
	"sync"
)

// what leaves a process.
type what string

const (
	anAppend   what = "append"
	aValue     what = "large value"
	aRead      what = "read of the log"
	theModel   what = "effect: model"
	reads      what = "effect: read"
	idempotent what = "effect: idempotent"
	once       what = "effect: once"
	reconcile  what = "effect: reconcile"
	aStart     what = "start"
	aToken     what = "token"
	aPost      what = "post"
	invocation what = "invocation"
	// What passes between a parent and its children: the appends that carry it from one
	// log to the other, and what wakes the parent.
	handOver    what = "hand over"
	telling     what = "child's end told"
	abandonment what = "child cancelled"
	wakes       what = "parent woken"
)

// everything is in the order of the table.
var everything = []what{anAppend, aValue, aRead, theModel, reads, idempotent, once, reconcile, handOver, telling, abandonment, wakes, aStart, aToken, aPost, invocation}

// disaster is what becomes of a call, and of whoever made it. One that is frozen
// stands still and is given up, and then goes on beside its successor as if nothing
// had been.
type disaster string

const (
	fails        disaster = "fails before"
	lost         disaster = "stored, answer lost"
	doubled      disaster = "duplicated"
	late         disaster = "given up, lands late"
	frozen       disaster = "frozen, goes on"
	killedBefore disaster = "killed before"
	killedAfter  disaster = "killed after"
	killedLate   disaster = "killed, lands late"
	allKilled    disaster = "all are killed"
	stopped      disaster = "execution stopped"
	unheard      disaster = "stopped, unheard"
)

var disasters = []disaster{fails, lost, doubled, late, frozen, killedBefore, killedAfter, killedLate, allKilled, stopped, unheard}

// lands reports whether a disaster holds a call back until a newer process has made
// its land-th call, so that it comes before or into the middle of what that one does.
func (d disaster) lands() bool { return d == late || d == killedLate }

// ways is in how many ways a disaster is tried: how late a call lands, or how long a
// process stands still.
func (d disaster) ways() int {
	if d.lands() || d == frozen {
		return 3
	}
	return 1
}

// means leaves out what would say nothing. A network that brings an order twice
// which must not be repeated has charged twice, whoever sent it: its tool has to
// prevent that. (Two drivers that both send it are an invocation, duplicated.) A
// read that is stored, doubled or late is a read that failed; and when a frame is
// posted, or the log is read, is no better a moment to stop an execution than others.
func means(w what, d disaster) bool {
	switch w {
	case once:
		return d != doubled
	case aRead:
		return d == fails || d == frozen || d == killedBefore || d == allKilled
	case invocation:
		return d != frozen // it is frozen at any of its calls
	case aPost:
		return d != allKilled && d != stopped && d != unheard
	}
	return true
}

// strike is one disaster of a run: it hits the n-th of its kind.
type strike struct {
	what what
	n    int
	does disaster
	land int
}

func (f strike) String() string {
	s := fmt.Sprintf("%s %d %s", f.what, f.n, f.does)
	if f.does.ways() > 1 {
		s += fmt.Sprintf(", in its way %d", f.land)
	}
	return s
}

// plan is what goes wrong in one run. It counts what passes.
type plan struct {
	strikes []strike
	// also is what becomes of the n-th of a kind besides; "" for nothing.
	also func(w what, n int) disaster

	mu   sync.Mutex
	seen map[what]int
	hits int
}

// meets is the disaster that this call meets; none for nearly all.
func (p *plan) meets(w what) (f strike, hit bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[w]++
	for _, f := range p.strikes {
		if f.what == w && f.n == p.seen[w] {
			p.hits++
			return f, true
		}
	}
	if p.also != nil {
		if d := p.also(w, p.seen[w]); d != "" {
			return strike{w, p.seen[w], d, 1}, true
		}
	}
	return strike{}, false
}
