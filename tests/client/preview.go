package client

import "encoding/json"

// Preview is what a model has said so far in one run of a call, as far as it came.
type Preview struct {
	OperationID         string
	Round, Attempt, Run int
	// Text and Reasoning are contiguous, to the newest byte that came, and begin at
	// these bytes.
	Text, Reasoning         string
	TextFrom, ReasoningFrom int
}

// Gap: what came does not begin at the beginning.
func (p Preview) Gap() bool { return p.TextFrom > 0 || p.ReasoningFrom > 0 }

// Previews assembles the previews of one session. It does no I/O. Frames may come
// late, twice, overlapping and in any order.
type Previews struct {
	run             Preview // of it only its names count
	text, reasoning pieces
	over            map[string]moment
}

// A moment is a place in an operation's run of calls.
type moment struct{ round, attempt, run int }

const never = 1 << 30

func (m moment) before(n moment) bool {
	switch {
	case m.round != n.round:
		return m.round < n.round
	case m.attempt != n.attempt:
		return m.attempt < n.attempt
	}
	return m.run < n.run
}

// Take adds a frame. It reports false if that is of a call that is over or was
// replaced.
func (p *Previews) Take(f Frame) (Preview, bool) {
	at := moment{f.Round, f.Attempt, f.Run}
	now := moment{p.run.Round, p.run.Attempt, p.run.Run}
	switch {
	case !p.over[f.OperationID].before(at), f.OperationID == p.run.OperationID && at.before(now):
		return Preview{}, false
	case f.OperationID != p.run.OperationID || now.before(at):
		p.run = Preview{OperationID: f.OperationID, Round: f.Round, Attempt: f.Attempt, Run: f.Run}
		p.text, p.reasoning = nil, nil
	}
	if f.Kind == "text" {
		p.text.take(piece{f.Offset, f.Text})
	} else {
		p.reasoning.take(piece{f.Offset, f.Text})
	}
	all := p.run
	all.Text, all.TextFrom = p.text.newest()
	all.Reasoning, all.ReasoningFrom = p.reasoning.newest()
	return all, true
}

// See learns from an event which calls are over.
func (p *Previews) See(e Event) {
	var data struct{ Attempt int }
	_ = json.Unmarshal(e.Data, &data)
	var end moment
	switch e.Type {
	case "model.started":
		end = moment{e.Round, data.Attempt - 1, never}
	case "model.failed":
		end = moment{e.Round, data.Attempt, never}
	case "model.completed":
		end = moment{e.Round, never, never}
	case "operation.completed", "operation.failed", "operation.cancelled":
		end = moment{never, never, never}
	}
	if p.over == nil {
		p.over = map[string]moment{}
	}
	if p.over[e.OperationID].before(end) {
		p.over[e.OperationID] = end
	}
}

// pieces are parts of one text, in order, with a hole between each two.
type pieces []piece

type piece struct {
	from int
	text string
}

func (p piece) end() int { return p.from + len(p.text) }

// maxPieces bounds them: the oldest is let go.
const maxPieces = 64

func (all *pieces) take(n piece) {
	var before, behind pieces
	for _, old := range *all {
		switch {
		case old.end() < n.from:
			before = append(before, old)
		case n.end() < old.from:
			behind = append(behind, old)
		default:
			n = join(old, n)
		}
	}
	*all = append(append(before, n), behind...)
	if len(*all) > maxPieces {
		*all = (*all)[1:]
	}
}

// join puts two together that touch or overlap.
func join(a, b piece) piece {
	if b.from < a.from {
		a, b = b, a
	}
	if b.end() > a.end() {
		a.text += b.text[a.end()-b.from:]
	}
	return a
}

func (all pieces) newest() (text string, from int) {
	if len(all) == 0 {
		return "", 0
	}
	last := all[len(all)-1]
	return last.text, last.from
}
