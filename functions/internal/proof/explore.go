package proof

import (
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"windlass/functions/internal/turn"
)

// kind says who answers for a step.
type kind uint8

const (
	normal kind = iota // happens sooner or later
	choice             // somebody may do it, nobody has to
	fault              // nobody wants it
)

// explorer searches one scenario.
type explorer struct {
	scenario
	start *world

	seen   map[uint64]int32 // by hash of the form
	queue  []*world         // not looked at yet: the last ones of nodes
	nodes  []node
	edges  edges
	from   int32 // the node that is looked at
	nth    uint16
	form   form
	spare  []*world
	mark   bool // the step under way takes over, or begins a call too late
	wrote  bool // it appended
	found  int32
	broken string

	// telling: steps are not searched but told.
	telling bool
	told    []told
}

// node is a world that was reached: from where, and by which of its steps.
type node struct {
	parent  int32
	nth     uint16
	depth   uint16
	settled bool
}

// verdict of a search.
type report struct {
	name                 string
	states, edges, depth int
	took                 time.Duration
	complete             bool
	// broken says which law was, and how.
	broken string
	trace  []string
}

func (r report) verdict() string {
	switch {
	case r.broken != "":
		return r.broken
	case !r.complete:
		return "not explored to its end"
	}
	return "ok"
}

var seed = maphash.MakeSeed()

// beginning is a session to which a was submitted.
func (s scenario) beginning() *explorer {
	x := &explorer{scenario: s, seen: map[uint64]int32{}, found: -1}
	if x.delays == nil {
		x.delays = atOnce
	}
	x.form.x, x.form.delay, x.form.deaf, x.form.most = x, x.delays[0], !x.dispatch, len(x.delays)+1
	w := &world{state: &turn.State{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), left: s.left}
	x.start = w
	x.accept(w, 0)
	return x
}

// explore searches all that the scenario allows.
func (s scenario) explore() report {
	_, r := s.search()
	return r
}

func (s scenario) search() (*explorer, report) {
	began := time.Now()
	x := s.beginning()
	r := report{name: s.name, complete: true}
	x.reach(normal, x.start, false)
	for x.found < 0 && x.broken == "" && len(x.queue) > 0 {
		if s.most > 0 && len(x.nodes) > s.most {
			r.complete = false
			break
		}
		w := x.queue[0]
		x.queue[0] = nil
		x.queue = x.queue[1:]
		x.nth = 0
		x.edges.row()
		x.steps(w)
		x.drop(w)
		x.from++
	}
	r.states, r.edges = len(x.nodes), x.edges.count
	r.depth = int(x.nodes[len(x.nodes)-1].depth)
	switch {
	case x.broken != "":
		r.broken, r.trace = x.broken, x.trace(x.found)
	case r.complete:
		x.lives(&r)
	}
	r.took = time.Since(began)
	return x, r
}

// submitted is how many operations there will be.
func (x *explorer) submitted() int {
	if x.second {
		return operations
	}
	return 1
}

// steps is everything that may happen next.
func (x *explorer) steps(w *world) {
	x.drives(w)
	x.executes(w)
	x.parkings(w)
	x.clients(w)
	x.wakes(w)
	x.passes(w)
	x.grows(w)
}

// fork copies a world for one step.
func (x *explorer) fork(w *world) *world {
	x.mark, x.wrote = false, false
	var t *world
	if n := len(x.spare); n > 0 {
		t, x.spare = x.spare[n-1], x.spare[:n-1]
	} else {
		t = new(world)
	}
	*t = *w
	return t
}

func (x *explorer) drop(w *world) { x.spare = append(x.spare, w) }

// emit is one step. What it says is only written where it is read.
func (x *explorer) emit(k kind, t *world, format string, args ...any) {
	x.retire(t)
	switch {
	case x.telling:
		x.told = append(x.told, told{k, strings.TrimRight(fmt.Sprintf(format, args...), "; :"), t})
	case x.broken == "":
		x.reach(k, t, x.mark)
	}
	x.nth++
}

// find is the node of a world's form, if it was reached.
func (x *explorer) find(t *world) (hash uint64, n int32, old bool) {
	hash = maphash.Bytes(seed, x.form.of(t))
	n, old = x.seen[hash]
	return hash, n, old
}

func (x *explorer) reach(k kind, t *world, marked bool) {
	hash, n, old := x.find(t)
	if !old {
		n = int32(len(x.nodes))
		x.seen[hash] = n
		d := uint16(0)
		if n > 0 {
			d = x.nodes[x.from].depth + 1
		}
		x.nodes = append(x.nodes, node{x.from, x.nth, d, t.settled(x.submitted())})
	}
	if n > 0 || old {
		x.edges.put(k, n, marked)
	}
	if t.bad == "" && !old && x.wrote {
		t.bad = folds(t)
	}
	switch {
	case t.bad != "":
		x.found, x.broken = n, t.bad
		x.nodes[n].parent, x.nodes[n].nth = x.from, x.nth
	case old:
		x.drop(t)
	default:
		x.queue = append(x.queue, t)
	}
}
