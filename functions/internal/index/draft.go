package index

import (
	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// Draft is the commit of events that go on a folded session, at the position
// after its last one: with the summary behind them, the wake flag, and the rows
// that a settlement moves, or a session's end in sight. It changes neither.
func Draft(s eventstore.Stream, state *turn.State, by string, events []event.Event) eventstore.Draft {
	d := eventstore.Draft{By: by, Events: events}
	after := state.Clone()
	if others(state, events) {
		after = state.Copy()
	}
	for i, e := range events {
		e.Seq, e.By = state.Seq+uint64(i)+1, by
		if op := after.Find(e.Operation); op != nil && turn.Terminal(e.Data) {
			d.Rows = append(d.Rows, OperationRow(s, settled(op, e)), SettledRow(s, op.FirstSeq))
		}
		after.Apply(e)
		d.Settles = d.Settles || turn.Terminal(e.Data)
		d.Wake = d.Wake || after.Wakes(e.Data)
	}
	d.Rows = append(d.Rows, moved(s, state, after)...)
	d.Summary = after.Summary().Encode()
	return d
}

// others: some of the events are of an operation that is not the head, which a clone
// shares with the state.
func others(state *turn.State, events []event.Event) bool {
	head := state.Head()
	for _, e := range events {
		if e.Operation != "" && (head == nil || e.Operation != head.ID) {
			return true
		}
	}
	return false
}

// settled is an operation's last row.
func settled(op *turn.Operation, e event.Event) Operation {
	at := e.At
	row := Operation{
		ID: op.ID, Agent: op.Agent.Name, Prompt: Preview(op.Prompt.Inline() + op.Preview), PromptBytes: op.Prompt.Len(),
		FirstSeq: op.FirstSeq, LastSeq: e.Seq, Round: op.Round, AcceptedAt: op.AcceptedAt, SettledAt: &at, TraceID: op.TraceID,
	}
	if op.Started {
		started := op.StartedAt
		row.StartedAt = &started
	}
	switch p := e.Data.(type) {
	case event.OperationCompleted:
		row.Status, row.Usage = Completed, p.Usage
	case event.OperationFailed:
		row.Status, row.Usage, row.Error = Failed, p.Usage, &p.Error
	case event.OperationCancelled:
		row.Status, row.Usage = Cancelled, p.Usage
	}
	return row
}
