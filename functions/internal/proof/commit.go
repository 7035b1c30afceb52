package proof

import (
	"slices"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// commit is one append and all before it: a log is its newest commit, nil for an
// empty one. Logs share their beginnings, so one can go on in two ways. A *commit
// is also a position: the end of that commit.
type commit struct {
	before      *commit
	first, last uint64
	by          string
	wake        bool
	summary     []byte
	events      []event.Event
	decoded     *turn.Summary // once it was asked for
}

// after is the commit that a Journal makes of a draft at this position.
func (c *commit) after(d eventstore.Draft) *commit {
	first := c.seq() + 1
	n := &commit{before: c, first: first, last: first + uint64(len(d.Events)) - 1, by: d.By, wake: d.Wake, summary: d.Summary}
	n.events = slices.Clone(d.Events)
	for i := range n.events {
		n.events[i].Seq, n.events[i].By = first+uint64(i), d.By
	}
	return n
}

// seq is the last event's; 0 for an empty log.
func (c *commit) seq() uint64 {
	if c == nil {
		return 0
	}
	return c.last
}

// digest is the commit's summary; that of an empty log is empty.
func (c *commit) digest() turn.Summary {
	if c == nil {
		return turn.Summary{}
	}
	if c.decoded == nil {
		s, err := turn.DecodeSummary(c.summary)
		if err != nil {
			panic(err) // the code wrote it
		}
		c.decoded = &s
	}
	return *c.decoded
}

// since lists the commits behind a position, the oldest first.
func (c *commit) since(at *commit) (all []*commit) {
	for ; c != at; c = c.before {
		all = append(all, c)
	}
	slices.Reverse(all)
	return all
}

// all are the log's events.
func (c *commit) all() (events []event.Event) {
	for _, n := range c.since(nil) {
		events = append(events, n.events...)
	}
	return events
}

// followed: its writer is a driver that wrote before, and another one has since.
func (c *commit) followed() bool {
	others := false
	for b := c.before; b != nil && c.by != ""; b = b.before {
		if b.by == c.by {
			return others
		}
		others = others || b.by != ""
	}
	return false
}
