package proof

import (
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

const (
	invocation   = 14 * time.Minute
	modelTimeout = 9 * time.Minute
)

// situation is what the driver knows besides the log.
func (x *explorer) situation(w *world, d *driver) turn.Situation {
	me := turn.Situation{
		Me: d.name, Operation: operationIDs[d.op], Generation: int(d.gen), Now: event.At(w.now), First: d.first, Lost: d.lost,
		Flush: d.flush, TimeLeft: invocation, RoundsLeft: int(d.rounds), HistoryFull: d.full, MaxRounds: maxRounds,
		LoopsAllowed: x.forever, Models: []string{"m"}, ModelTimeout: modelTimeout, Plan: plan, StartDelays: x.delays,
	}
	if x.compacts {
		me.Tokens, me.CompactAt = 1, 1
	}
	if d.short {
		me.TimeLeft = 0
	}
	if op := d.view.Head(); op != nil && d.answer != nothing {
		me.Answer = modelFault
		if d.answer == outcome {
			me.Answer = x.answer(int(d.op), op.Round)
			if op.Model.Purpose == event.PurposeCompact {
				me.Answer = summarised
			}
		}
	}
	d.holdings(&me)
	return me
}

var summarised = &turn.Answer{Compacted: &event.TranscriptCompacted{Summary: event.Text("so far"), Usage: fakeUsage}}

func (d *driver) holdings(me *turn.Situation) {
	me.Outcomes, me.Running, me.Found, me.Handed = map[int]turn.Outcome{}, map[int]bool{}, map[int]turn.Finding{}, map[int]bool{}
	op := d.view.Head()
	if op == nil {
		return
	}
	for i := range min(calls, len(op.Calls)) {
		c := op.Calls[i]
		switch d.out[i] {
		case outcome:
			me.Outcomes[i] = completed(c)
		case unclear:
			me.Outcomes[i] = turn.Outcome{event.ToolUnknown{Index: i, Name: c.Name}}
		}
		if d.run[i] {
			me.Running[i] = true
		}
		if d.handed[i] {
			me.Handed[i] = true
		}
		if f := d.found[i]; f.said != unasked {
			found := turn.Finding{UnknownSeq: f.seq, DidNot: f.said == didNot}
			if f.said == happened {
				found.Outcome = completed(c)
			}
			me.Found[i] = found
		}
	}
}

func completed(c turn.Call) turn.Outcome {
	return turn.Outcome{event.ToolCompleted{Index: c.Index, CallID: c.CallID, Name: c.Name, Output: okText}}
}
