package loop

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/model"
	"windlass/functions/internal/preview"
	"windlass/functions/internal/price"
	"windlass/functions/internal/telemetry"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
)

// Loop drives turns. It is safe for concurrent use.
type Loop struct {
	Journal *eventstore.Journal
	// Warm keeps the sessions that were driven last, for those who go on with them.
	Warm   *fold.Sessions
	Models map[string]model.Provider
	// Prices say what a call costs; Previews show an answer while it comes. Nil knows no
	// price, and shows nothing.
	Prices   price.Table
	Previews *preview.Previews
	Tools    tool.Set
	// Sources make tools of what an agent's definition says; nil has none.
	Sources *tool.Sources
	Now     func() time.Time
	// Jitter returns a random duration in (0, d].
	Jitter func(d time.Duration) time.Duration
	Limits Limits
	// Families hands calls to other agents, and prompts to other sessions; nil hands none.
	Families *delegation.Families
	// Callbacks makes the URLs by which calls are reported that end later.
	Callbacks callbacks
	// Metrics takes what an invocation's rounds cost; nil takes nothing.
	Metrics *telemetry.Metrics
	// Park keeps the token of a turn that waits.
	Park func(context.Context, execution.Parking) error
}

type callbacks interface {
	URL(context.Context, callback.Step) (string, error)
}

// Limits bound an invocation.
type Limits struct {
	// RoundsPerTask caps the rounds that one invocation begins; 0 for no cap.
	RoundsPerTask int
	// AttemptsPerExecution ends an execution before its history is full. One attempt
	// of Drive costs at most 9 of Step Functions' 25,000 events: 3 of its own, 2
	// around the state, 2 for Next and 2 for Backoff. The last Drive may add the
	// 3 x 511 of all its retries.
	AttemptsPerExecution int
	// Reserve is kept of the invocation's time for appending what is held.
	Reserve time.Duration
	// FlushAfter is how long an outcome is held while its siblings still run.
	FlushAfter time.Duration
	// LookEvery is how often the log is looked at while effects run.
	LookEvery time.Duration
	// WaitHere is how long a wait may be that is spent in the invocation: a little time of
	// a Lambda costs no more than the state machine's way to it and back.
	WaitHere time.Duration
	// StoreWait is how long an invocation that has nothing more to do waits for a
	// checkpoint to be stored.
	StoreWait time.Duration
	// FencedWait is how long a fenced driver's execution waits.
	FencedWait time.Duration
	// StartDelays space repeated starts of one step.
	StartDelays []time.Duration
}

// DefaultLimits are those of the deployed system.
var DefaultLimits = Limits{
	AttemptsPerExecution: 2000,
	Reserve:              20 * time.Second,
	FlushAfter:           250 * time.Millisecond,
	LookEvery:            time.Second,
	WaitHere:             3 * time.Second,
	StoreWait:            time.Second,
	FencedWait:           time.Second,
	StartDelays:          turn.DefaultStartDelays,
}

// longestTask stands for the deadline where a context has none.
const longestTask = 15 * time.Minute

// Drive runs as many rounds as its time and limits allow, and answers with the
// state machine's next state. An error means that the log was out of reach: the
// state machine invokes again.
func (l *Loop) Drive(ctx context.Context, t Task, requestID string) (Document, error) {
	ctx = telemetry.With(ctx, slog.String(telemetry.Session, t.Turn.Session), slog.String(telemetry.Operation, t.Turn.Operation))
	d, doc := l.driver(ctx, t, requestID), t.counted()
	defer d.stop()
	if err := d.open(ctx); err != nil {
		return Document{}, err
	}
	d.session.Save(d.effects, d.Journal)
	defer d.report(l.Now())
	for {
		if err := d.look(ctx); err != nil {
			return Document{}, err
		}
		e := turn.Next(&d.session.State, d.me)
		if end, over := d.over(ctx, e, doc); over {
			d.keepWarm(ctx)
			return end, nil
		}
		if err := d.do(ctx, e); err != nil {
			return Document{}, err
		}
	}
}

// over is where the state machine goes on, if the invocation has nothing more to do.
func (d *driver) over(ctx context.Context, e turn.Effect, doc Document) (end Document, over bool) {
	switch e := e.(type) {
	case turn.Backoff:
		return doc.at(e.Until), true
	case turn.Park:
		return doc.park(d.session.At.Seq(), e.Until.Sub(d.Now()), !e.Until.IsZero()), true
	case turn.Fenced:
		slog.InfoContext(ctx, "another driver is at work", "by", d.me.Me)
		return doc.at(event.At(d.Now().Add(d.Limits.FencedWait))), true
	case turn.Yield:
		return doc.drive(), true
	case turn.Finish:
		return doc.done(), true
	}
	return Document{}, false
}

// do carries an effect out.
func (d *driver) do(ctx context.Context, e turn.Effect) error {
	switch e := e.(type) {
	case turn.Append:
		return d.append(ctx, e.Events)
	case turn.Think:
		return d.timed(func() error { return d.think(ctx, e) })
	case turn.Compact:
		return d.timed(func() error { return d.compact(ctx, e) })
	case turn.Wait:
		return d.timed(func() error { return d.wait(ctx, e) })
	case turn.Act:
		return d.act(ctx, e.Calls)
	case turn.Await:
		return d.timed(func() error { return d.await(ctx) })
	case turn.Reconcile:
		return d.timed(func() error { d.reconcile(ctx, e.Call); return nil })
	}
	return fmt.Errorf("loop: effect %T is not known", e)
}

func (l *Loop) driver(ctx context.Context, t Task, requestID string) *driver {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = l.Now().Add(longestTask)
	}
	d := &driver{
		Loop: l, stream: eventstore.Stream{Tenant: t.Turn.Tenant, Session: t.Turn.Session},
		deadline: deadline.Add(-l.Limits.Reserve), outcomes: make(chan outcome), arguments: map[int]string{}, plans: map[int]planned{}, gates: map[string]chan struct{}{},
	}
	d.effects, d.stop = context.WithCancel(ctx)
	d.me = turn.Situation{
		Me: t.by(requestID), Operation: t.Turn.Operation, Generation: t.Turn.Generation, First: true,
		Outcomes: map[int]turn.Outcome{}, Running: map[int]bool{}, Found: map[int]turn.Finding{}, Handed: map[int]bool{},
		HistoryFull: t.Turn.Attempts >= l.Limits.AttemptsPerExecution, StartDelays: l.Limits.StartDelays,
		RoundsLeft: agent.MaxRounds, Plan: d.plan, WaitHere: l.Limits.WaitHere,
	}
	if l.Limits.RoundsPerTask > 0 {
		d.me.RoundsLeft = l.Limits.RoundsPerTask
	}
	// Two thirds of a fresh invocation at most: one always has the time to begin.
	d.me.ModelTimeout = min(agent.ModelTimeout, d.deadline.Sub(l.Now())*2/3)
	return d
}
