package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"windlass/tests/checker"
	"windlass/tests/client"
)

var errNothing = errors.New("nothing was measured")

// done looks whether an operation did what its load asks for: in its snapshot, and in
// the session's log, which must also keep every law.
func (b *bench) done(ctx context.Context, session, id string, l load) error {
	o, err := b.Operation(ctx, session, id, 0)
	if err != nil {
		return err
	}
	events, err := b.Events(ctx, session, 0)
	if err != nil {
		return err
	}
	n := summaries(events)
	b.summaries.note(n)
	if err := answered(o, l); err != nil {
		return err
	}
	if n > 0 && l.short() {
		return fmt.Errorf("%s: %d summaries of a short transcript", id, n)
	}
	if want := l.modelCalls() + n; o.Usage.ModelCalls != int64(want) {
		return fmt.Errorf("%s: %d model calls, not %d", id, o.Usage.ModelCalls, want)
	}
	return logged(events, map[string]load{id: l})
}

// summaries counts how often the model was asked for a summary, beside its answers.
func summaries(events []client.Event) (n int) {
	for _, e := range events {
		var d struct{ Purpose string }
		if e.Type == "model.started" && json.Unmarshal(e.Data, &d) == nil && d.Purpose == "compact" {
			n++
		}
	}
	return n
}

// largest keeps the largest number of several samples, that may end at once.
type largest struct{ n atomic.Int64 }

func (l *largest) note(n int) {
	for old := l.n.Load(); int64(n) > old && !l.n.CompareAndSwap(old, int64(n)); old = l.n.Load() {
	}
}

func (l *largest) most() int { return int(l.n.Load()) }

// answered looks at what a client is told of the operation.
func answered(o client.Operation, l load) error {
	switch want := max(l.answer, 1); {
	case o.Status != "completed":
		return fmt.Errorf("%s: %s %+v", o.OperationID, o.Status, o.Error)
	case l.padded > 0 && o.PromptBytes != int64(l.padded):
		return fmt.Errorf("%s: its prompt has %d bytes, not %d", o.OperationID, o.PromptBytes, l.padded)
	case o.Output == nil || len(*o.Output) != want:
		return fmt.Errorf("%s: its output has not %d bytes", o.OperationID, want)
	}
	return nil
}

// logged looks at a whole log: no law is broken, and each of these operations has its
// rounds, results and files, of the size that was asked for.
func logged(events []client.Event, want map[string]load) error {
	report := checker.Check(events)
	if n := len(report.Violations); n > 0 {
		return fmt.Errorf("%d violations in the log, the first: %s", n, report.Violations[0])
	}
	full := map[string]int{}
	for _, e := range events {
		if l, ok := want[e.OperationID]; ok && carries(e, l.tool) {
			full[e.OperationID]++
		}
	}
	for id, l := range want {
		op := report.Operations[id]
		if op == nil {
			return fmt.Errorf("%s: it is not in the log", id)
		}
		if op.Status != "completed" || op.ModelAnswers != l.modelCalls() || op.Results != l.rounds*l.calls || op.Writes != l.writes() {
			return fmt.Errorf("%s: %s with %d answers, %d results, %d files of %s", id, op.Status, op.ModelAnswers, op.Results, op.Writes, l)
		}
		if n := l.writes() + l.reads(); full[id] != n {
			return fmt.Errorf("%s: %d of %d contents have %d bytes", id, full[id], n, l.tool)
		}
	}
	return nil
}

// carries reports whether the event is a file of n bytes, or a read of at least so
// many: what is read comes in a JSON object.
func carries(e client.Event, n int) bool {
	var d struct {
		Name   string
		Bytes  int
		Output json.RawMessage
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return false
	}
	switch {
	case e.Type == "workspace.written":
		return d.Bytes == n
	case e.Type == "tool.completed" && d.Name == "workspace_read":
		return size(d.Output) >= n
	}
	return false
}

// size is how long a value is, that stands there or apart.
func size(value json.RawMessage) int {
	var apart struct{ Ref struct{ Bytes int } }
	if json.Unmarshal(value, &apart) == nil {
		return apart.Ref.Bytes
	}
	var text string
	_ = json.Unmarshal(value, &text) // what is neither has no size
	return len(text)
}
