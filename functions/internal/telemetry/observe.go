package telemetry

import (
	"context"
	"errors"
	"strconv"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// Observer turns what a process appends into metrics.
type Observer struct {
	*Metrics
	// asked is since when each session's model is asked, as far as this process began it.
	asked map[eventstore.Stream]time.Time
}

// NewObserver observes for m.
func NewObserver(m *Metrics) *Observer {
	return &Observer{Metrics: m, asked: map[eventstore.Stream]time.Time{}}
}

// maxAsked bounds what is remembered of sessions whose turn went on elsewhere.
const maxAsked = 10_000

// Appended takes one attempt to append, and what came of it.
func (o *Observer) Appended(_ context.Context, a eventstore.Appended) {
	var lost *eventstore.Conflict
	switch {
	case errors.As(a.Err, &lost):
		o.Add("AppendConflicts", Count, 1)
	case a.Err != nil:
		if eventstore.CodeOf(a.Err) == eventstore.Unavailable || eventstore.CodeOf(a.Err) == eventstore.Throttled {
			o.Add("AppendFailures", Count, 1)
		}
	default:
		o.Took("AppendLatency", a.Took)
		for _, e := range a.Commit.Events {
			o.event(a.Commit.Stream, e)
		}
	}
}

// counted are the metrics that count events of a type.
var counted = map[string]string{
	"operation.accepted": "OperationsAccepted", "operation.completed": "OperationsCompleted", "operation.failed": "OperationsFailed",
	"operation.cancelled": "OperationsCancelled", "operation.resumed": "Recoveries", "model.started": "ModelCalls", "model.failed": "ModelFailures",
	"tool.started": "ToolCalls", "tool.failed": "ToolFailures", "tool.unknown": "UnknownOutcomes", "approval.requested": "ApprovalsRequested",
}

func (o *Observer) event(s eventstore.Stream, e event.Event) {
	if name := counted[e.Data.EventType()]; name != "" {
		o.Add(name, Count, 1)
	}
	switch d := e.Data.(type) {
	case event.ModelStarted:
		o.began(s, e.At.Time)
	case event.ModelCompleted:
		o.answered(s, e.At.Time)
		o.used(d.Usage, d.CostUSD)
	case event.TranscriptCompacted:
		o.answered(s, e.At.Time)
		o.used(d.Usage, d.CostUSD)
	case event.ModelFailed:
		o.answered(s, e.At.Time)
		if d.Usage != nil {
			o.used(*d.Usage, d.CostUSD)
		}
	}
}

func (o *Observer) began(s eventstore.Stream, at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.asked) >= maxAsked {
		clear(o.asked)
	}
	o.asked[s] = at
}

// answered: how long the model took, by the log's own times.
func (o *Observer) answered(s eventstore.Stream, at time.Time) {
	o.mu.Lock()
	began, ok := o.asked[s]
	delete(o.asked, s)
	o.mu.Unlock()
	if ok {
		o.Took("ModelLatency", at.Sub(began))
	}
}

func (o *Observer) used(t event.Tokens, cost event.USD) {
	o.Add("InputTokens", Count, float64(t.InputTokens))
	o.Add("OutputTokens", Count, float64(t.OutputTokens))
	o.Add("CachedTokens", Count, float64(t.CachedTokens))
	if usd, err := strconv.ParseFloat(string(cost), 64); err == nil {
		o.Add("CostUSD", USD, usd)
	}
}
