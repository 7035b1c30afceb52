package disaster

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"windlass/eventstore/event"
	"windlass/functions/internal/tool"
)

// entry is what became of the calls of one class: what the logs say, and what the shop
// has counted.
type entry struct {
	calls   int // that a model asked for
	sent    int // requests that somebody began for them
	arrived int // of those, at the shop; a retry and a late one too
	effects int // what is otherwise at the shop than before
	beyond  int // effects that the class does not allow
	lost    int // calls without a result, or with one that nothing stands behind
	asked   int // questions to a person
}

func (e entry) plus(o entry) entry {
	return entry{e.calls + o.calls, e.sent + o.sent, e.arrived + o.arrived, e.effects + o.effects, e.beyond + o.beyond, e.lost + o.lost, e.asked + o.asked}
}

// ledger has an entry for each class.
type ledger map[tool.Effect]entry

func (l ledger) add(o ledger) {
	for class, e := range o {
		l[class] = l[class].plus(e)
	}
}

// classes are in the order of what repeating them does.
var classes = []tool.Effect{tool.Read, tool.Idempotent, tool.Once}

func (l ledger) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "class\tcalls\tcarried out\tarrived\teffects\tmore than allowed\tlost\ta person was asked\t")
	for _, class := range classes {
		e := l[class]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", class, e.calls, e.sent, e.arrived, e.effects, e.beyond, e.lost, e.asked)
	}
	_ = w.Flush()
}

// place is where a call's events stand in the logs.
type place struct {
	session, operation string
	round, index       int
}

// ordered is what the logs say of a call of the shop.
type ordered struct {
	class     tool.Effect
	item      string
	result    bool // whatever it says
	completed bool
	asked     int
}

// book compares the logs with the shop's own count.
func (s *shop) book(v *verdict, stored []told) {
	v.ledger = ledger{}
	all := map[place]*ordered{}
	for _, c := range stored {
		for _, e := range c.events {
			note(all, place{c.of.Session, e.Operation, e.Round, 0}, e.Data)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, o := range all {
		e := s.entry(*o)
		v.ledger[o.class] = v.ledger[o.class].plus(e)
		v.bad(&v.losses, e.lost, "%s, %s: %+v, and at the shop %+v", at.operation, o.item, *o, e)
		v.bad(&v.duplicates, e.beyond, "%s, %s: %d effects, which %s does not allow", at.operation, o.item, e.effects, o.class)
	}
}

// note takes what an event says of calls.
func note(all map[place]*ordered, at place, data event.Payload) {
	of := func(index int) *ordered {
		at.index = index
		if o := all[at]; o != nil {
			return o
		}
		return &ordered{} // of another tool
	}
	switch d := data.(type) {
	case event.ModelCompleted:
		for _, it := range d.Items {
			var a order
			if it.Call == nil || json.Unmarshal([]byte(it.Call.Arguments.Inline()), &a) != nil || a.Item == "" {
				continue
			}
			at.index = it.Call.Index
			all[at] = &ordered{class: tools()[it.Call.Name].Effect, item: a.Item}
		}
	case event.ApprovalRequested:
		of(d.Index).asked++
	case event.ToolCompleted:
		of(d.Index).result, of(d.Index).completed = true, true
	case event.ToolFailed:
		of(d.Index).result = true
	}
}

// entry is a call's: the shop's items are each of one call.
func (s *shop) entry(o ordered) entry {
	e := entry{calls: 1, sent: s.begun[o.item], arrived: s.arrived[o.item], effects: len(s.keys[o.item]) + s.took[o.item], asked: o.asked}
	allowed, stands := 1, e.effects > 0
	if o.class == tool.Read {
		allowed, stands = 0, e.arrived > 0
	}
	e.beyond = max(e.effects-allowed, 0)
	if !o.result || o.completed && !stands {
		e.lost = 1
	}
	return e
}
