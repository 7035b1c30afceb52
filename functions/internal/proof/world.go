package proof

import (
	"time"

	"windlass/functions/internal/turn"
)

// Bounds of a world. A scenario that needs more generations is told so.
const (
	operations  = 2
	generations = 3
	drivers     = 2
	parks       = 2
	wakers      = 2
	calls       = 2 // of one round
)

var operationIDs = [operations]string{"a", "b"}

// world is everything at one moment. It is a value: a step copies it and changes
// the copy. What it points to is never changed.
type world struct {
	log    *commit
	state  *turn.State // the log's fold
	now    time.Time
	ledger ledger

	exec   [operations][generations]execution
	driver [drivers]driver
	park   [parks]parking
	row    [operations]row
	waker  [wakers]waker
	// unhandled: a record of a commit that wakes is still in the table's stream.
	unhandled bool
	born      int // drivers so far
	tokens    int // task tokens so far

	child children

	left budget
	bad  string // the law that was broken
}

// budget is what may still happen that nobody wants, or that somebody may do.
type budget struct {
	Crash     uint8 // an invocation dies
	Timeout   uint8 // a task times out while its Lambda goes on
	ExecFail  uint8 // an execution fails
	Ambig     uint8 // an effect's answer is lost
	ModelFail uint8 // a model call fails
	Drop      uint8 // dispatch gives up on a record
	Short     uint8 // an invocation's time runs short
	Roll      uint8 // an execution's history is full
	Spont     uint8 // a waker comes for no reason
	Stray     uint8 // nothing comes of what passes between a parent and a child
	Again     uint8 // a child's end is told once more
	Day       uint8 // a day goes by, and Park's wait ends
	Steer     uint8 // somebody says more to a
	Cancel    uint8 // somebody cancels: bit i for operation i
}

// faults counts those that can cost an invocation.
func (b budget) faults() int {
	return int(b.Crash) + int(b.Timeout) + int(b.ExecFail) + int(b.Ambig) + int(b.ModelFail) + int(b.Drop) + int(b.Short)
}

// execution is one of Step Functions'.
type execution struct {
	at    place
	slot  uint8 // its driver
	token int   // what it waits for, while parked
}

type place uint8

const (
	none place = iota
	ready
	driving
	waiting
	entering // about to enter Park
	parked
	closed
)

func (p place) open() bool { return p != none && p != closed }

// parking is one invocation of Park.
type parking struct {
	on, second bool
	op, gen    uint8
	token      int
}

// row is an operation's token as it is kept; 0 for none. Tokens are numbered in the
// order in which their states were entered.
type row struct {
	gen   uint8
	token int
}

// newer: what is kept is newer than this token.
func (r row) newer(gen uint8, token int) bool {
	return r.gen > gen || r.gen == gen && r.token > token
}

// waker is api after its append, dispatch, or recover: one procedure.
type waker struct {
	at       errand
	dispatch bool
	op, gen  uint8            // the head that it saw
	answer   [operations]bool // these wait no longer, as it saw
}

type errand uint8

const (
	idle errand = iota
	reads
	starts
	revives
	answers
)

// ruin notes the first law that is broken.
func (w *world) ruin(why string) {
	if w.bad == "" {
		w.bad = why
	}
}

func indexOf(id string) int {
	for i, o := range operationIDs {
		if o == id {
			return i
		}
	}
	return -1
}

// settled: all operations have ended, and so have all executions and children.
func (w *world) settled(all int) bool {
	for i := range all {
		if !w.ledger.op[i].ended {
			return false
		}
		for _, e := range w.exec[i] {
			if e.at.open() {
				return false
			}
		}
	}
	return w.grown()
}
