package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"windlass/tests/checker"
	"windlass/tests/client"
)

// The turn that is killed would take about half a second; a third of it is done then.
var killed = load{rounds: 60, calls: 2, tool: 256, answer: 64, latency: 5}

const killedInRound = 20

// kills: the process is killed in mid-turn and started again, and the turn goes on by
// itself. From the kill to the time that the log gives its end.
func kills(ctx context.Context, b *bench) error {
	b.warmup = 0 // each sample is a start anyway
	b.measure(ctx, row{Name: "kill in mid-turn, nobody watching", Goal: 3000, Peer: "330000"}, func(ctx context.Context) (float64, error) {
		session, id, at, err := b.cut(ctx)
		if err != nil {
			return 0, err
		}
		o, err := b.unasked(ctx, session, id, at)
		if err != nil {
			return 0, err
		}
		return ms(o.SettledAt.Sub(at)), b.survived(ctx, session, o, at)
	})
	return nil
}

// cut begins a turn, kills the process in the midst of it and starts another one.
func (b *bench) cut(ctx context.Context) (session, id string, at time.Time, err error) {
	if session, err = b.open(ctx); err != nil {
		return
	}
	midst := make(chan struct{})
	w, err := watched(ctx, b.Client, session, func(e client.Event, _ time.Time) {
		if e.Type == "model.started" && e.Round == killedInRound {
			close(midst)
		}
	})
	if err != nil {
		return
	}
	defer w.close()
	if id, err = submit(ctx, b.Client, session, client.Submission{Prompt: killed.String()}); err != nil {
		return
	}
	select {
	case <-midst:
	case <-ctx.Done():
		return session, id, at, fmt.Errorf("round %d did not come: %w", killedInRound, ctx.Err())
	}
	w.close() // before there is a process again: nobody may ask it
	at = time.Now()
	return session, id, at, b.restart(ctx)
}

// silence is how long nobody asks; it doubles with each question that came too early.
const silence = 3 * time.Second

// unasked asks only when the goal's time is over, so that no question can have been
// what woke the turn.
func (b *bench) unasked(ctx context.Context, session, id string, at time.Time) (client.Operation, error) {
	for quiet := silence; ; quiet *= 2 {
		timer := time.NewTimer(time.Until(at.Add(quiet)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return client.Operation{}, fmt.Errorf("%s did not settle by itself: %w", id, ctx.Err())
		}
		o, err := b.Operation(ctx, session, id, 0)
		if err != nil || o.Settled() {
			return o, err
		}
	}
}

// survived looks whether the kill hit the turn, and whether the work was done all the
// same. A call to the model that the kill cut off is made again.
func (b *bench) survived(ctx context.Context, session string, o client.Operation, at time.Time) error {
	if err := answered(o, killed); err != nil {
		return err
	}
	events, err := b.Events(ctx, session, 0)
	if err != nil {
		return err
	}
	op := checker.Check(events).Operations[o.OperationID]
	if o.SettledAt.Before(at) || op == nil || op.Takeovers+op.Generations == 0 {
		return errors.New("no kill hit the turn: nothing was measured")
	}
	return logged(events, map[string]load{o.OperationID: killed})
}
