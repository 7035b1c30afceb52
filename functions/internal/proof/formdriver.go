package proof

import "windlass/functions/internal/turn"

func (f *form) drivers() {
	for _, i := range f.order {
		d := &f.w.driver[i]
		if !d.on {
			f.put(0)
			continue
		}
		f.driver(d)
	}
}

func (f *form) driver(d *driver) {
	f.put(1|bit(d.attached, 1)|bit(d.read, 2)|bit(d.thinking, 3)|bit(d.first, 4)|bit(d.lost, 5)|bit(d.flush, 6)|bit(d.short, 7), bit(d.full, 0)|bit(d.at == f.w.log, 1), d.op, d.gen, d.rounds)
	if !d.read {
		return
	}
	if f.put(bit(d.doomed, 0)); d.doomed {
		for c := range calls {
			if d.run[c] {
				f.put(byte(c), byte(d.round), f.times.rank(d.until[c].Add(turn.UntilMargin)))
			}
		}
		return
	}
	f.put(byte(d.answer), byte(d.round))
	for c := range calls {
		f.put(byte(d.out[c]), bit(d.run[c], 0)|bit(d.early[c], 1)|bit(d.handed[c], 2), byte(d.found[c].said), f.finding(d, c))
		if d.run[c] {
			f.put(f.times.rank(d.until[c].Add(turn.UntilMargin)))
		}
	}
	if d.at != f.w.log {
		f.stale(d)
	}
}

// stale is a view that others have appended behind: how it looks, and what a look at
// the log would tell.
func (f *form) stale(d *driver) {
	others := false
	for c := f.w.log; c != d.at; c = c.before {
		others = others || c.by != "" && c.by != d.name
	}
	f.put(bit(others, 0) | bit(f.w.log.by != "" && f.w.log.by != d.name, 1))
	f.state(d.view)
}

// finding: whether what was found is about the unknown that stands in the log, and
// about the one that the driver sees.
func (f *form) finding(d *driver, c int) byte {
	if d.found[c].said == unasked {
		return 0
	}
	about := func(s *turn.State) bool {
		op := s.Find(operationIDs[d.op])
		return op != nil && c < len(op.Calls) && op.Calls[c].UnknownSeq == d.found[c].seq
	}
	return 1 | bit(about(f.w.state), 1) | bit(about(d.view), 2)
}
