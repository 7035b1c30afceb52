package proof

import (
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// driver is one invocation of Drive: what package loop holds in memory.
type driver struct {
	on      bool
	op, gen uint8
	name    string
	// attached: its execution waits for its answer.
	attached bool
	read     bool // it has folded the log
	doomed   bool // it appends no more
	thinking bool // it asks the model

	at   *commit     // what it has folded
	view *turn.State // the fold there

	first, lost, flush bool
	short, full        bool
	rounds             uint8 // that it may still begin

	answer holds
	out    [calls]holds
	run    [calls]bool
	handed [calls]bool // to a child
	early  [calls]bool // ran before its start was stored, which a rule forbids
	round  int         // of the calls that run
	until  [calls]time.Time
	found  [calls]finding
}

type holds uint8

const (
	nothing holds = iota
	outcome       // of a call, or the model's answer
	unclear       // nobody knows what came of the call; of the model: a fault
)

// finding is what Reconcile said about the tool.unknown at seq.
type finding struct {
	said truth
	seq  uint64
}

type truth uint8

const (
	unasked truth = iota
	didNot
	happened
	unknown
)

// catchUp folds what came since, and returns whether another driver wrote any of it.
func (d *driver) catchUp(x *explorer, w *world) (others bool) {
	for _, c := range w.log.since(d.at) {
		others = others || c.by != "" && c.by != d.name
		d.view = d.view.Copy()
		for _, e := range c.events {
			d.view.Apply(e)
			d.counts(c.by, e)
		}
		d.forget(x)
	}
	d.at, d.view = w.log, w.state
	return others
}

func (d *driver) counts(by string, e event.Event) {
	s, ok := e.Data.(event.ModelStarted)
	if !ok {
		return
	}
	d.handed = [calls]bool{} // those were the round's before
	if by == d.name && s.Attempt == 1 {
		d.rounds--
	}
}

// appended brings it up to a commit of its own.
func (d *driver) appended(x *explorer, w *world) {
	d.first, d.flush = false, false
	for _, e := range w.log.events {
		d.counts(d.name, e)
	}
	d.at, d.view = w.log, w.state
	d.forget(x)
}

// forget drops what is held for steps that are not open any more.
func (d *driver) forget(x *explorer) {
	op := d.view.Head()
	if op == nil || op.ID != operationIDs[d.op] {
		return
	}
	if op.Model.Phase != turn.Open {
		d.answer = nothing
	}
	for i := range d.out {
		if i >= len(op.Calls) || op.Calls[i].Phase == turn.Done || op.Calls[i].Phase != turn.Open && !x.off(ruleForget) {
			d.out[i] = nothing
		}
	}
}

// overtaken: its look at the head tells it to stop what it is doing.
func (d *driver) overtaken(w *world) bool {
	if d.at == w.log {
		return false
	}
	op := w.state.Head()
	return op == nil || op.ID != operationIDs[d.op] || op.Generation != int(d.gen) || op.CancelRequested || w.log.by != "" && w.log.by != d.name
}

func (d *driver) running() bool {
	for _, r := range d.run {
		if r {
			return true
		}
	}
	return false
}

func (d *driver) holding() bool {
	for _, o := range d.out {
		if o != nothing {
			return true
		}
	}
	return false
}
