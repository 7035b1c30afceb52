package client

// Cursor is a follower's place in a session's log: which frames it takes, and
// when it has to ask again. It does no I/O. Frames may come late, twice and in any
// order; the caller sees each event once, in order.
type Cursor struct {
	// At is the last seq that was taken.
	At uint64
	// aside holds frames that came too early, by their first seq.
	aside map[uint64]Frame
}

// maxAside bounds what is held of frames that came too early.
const maxAside = 64

// Take returns the events of a frame that are next, and of those that were kept
// aside for it.
func (c *Cursor) Take(f Frame) (all []Event) {
	for ok := true; ok; f, ok = c.next() {
		switch {
		case f.To <= c.At: // seen
		case f.From > c.At+1:
			c.keep(f)
			return all
		default:
			for _, e := range f.Events {
				if e.Seq > c.At {
					all = append(all, e)
				}
			}
			c.At = f.To
		}
	}
	return all
}

func (c *Cursor) keep(f Frame) {
	if c.aside == nil {
		c.aside = map[uint64]Frame{}
	}
	if len(c.aside) < maxAside {
		c.aside[f.From] = f
	}
}

// next is a frame that was kept aside and is due, or not needed any more.
func (c *Cursor) next() (Frame, bool) {
	for from, f := range c.aside {
		if from <= c.At+1 {
			delete(c.aside, from)
			return f, true
		}
	}
	return Frame{}, false
}

// Gap reports whether something between the cursor and what came is missing.
func (c *Cursor) Gap() bool { return len(c.aside) > 0 }
