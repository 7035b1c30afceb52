package projection

import (
	"slices"

	"windlass/eventstore/event"
)

// Projection is a request that grows with its transcript: what was written for a round
// is not written again for the next one, so a round costs what came since the one
// before, however long the turn is. It is not safe for concurrent use.
type Projection struct {
	written projector
	size    int64
}

// New is the projection of an empty transcript.
func New(rules Rules) *Projection {
	return &Projection{written: projector{Rules: rules, used: map[string]bool{}}}
}

// Add writes the items that follow those added before. With ErrTooLong the projection
// is of no more use.
func (p *Projection) Add(items []Item) error {
	for _, it := range items {
		if p.size += it.size(); p.size > MaxBytes {
			return ErrTooLong
		}
		p.written.add(it)
	}
	return nil
}

// Bytes is about what its texts take, in memory: those that stand apart from the
// transcript are held here alone.
func (p *Projection) Bytes() int64 { return p.size }

// Messages are those of all items so far, and the repairs of the items behind the first
// seen ones. What is added later does not change them.
func (p *Projection) Messages(seen int) ([]Message, []event.Repair) {
	now := p.written
	// Calls without a result get one here, and may get another if more is added.
	now.open = slices.Clone(now.open)
	now.repairs = slices.Clip(now.repairs)
	now.messages = slices.Clone(now.messages)
	if n := len(now.messages); n > 0 {
		now.messages[n-1].Parts = slices.Clip(now.messages[n-1].Parts)
	}
	now.close()
	var repairs []event.Repair
	for _, r := range now.repairs {
		if r.Item > seen {
			repairs = append(repairs, r)
		}
	}
	return now.messages, repairs
}
