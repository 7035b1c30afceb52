package loop

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// driver is one invocation: the session, folded, and what it holds in memory.
type driver struct {
	*Loop
	stream   eventstore.Stream
	deadline time.Time // effects end by then
	effects  context.Context
	stop     context.CancelFunc

	session *fold.Session

	me    turn.Situation
	agent agent.Definition
	tools tool.Set
	// allowed are the entries of the agent's definition, by the tools they stand for.
	allowed map[string]agent.Tool
	// gates bound how many calls of an entry run at the same time.
	gates map[string]chan struct{}
	// besides is about how many tokens a request has besides the transcript.
	besides int64

	// arguments are those of the round's calls, by index: as text, wherever the log
	// keeps them.
	arguments map[int]string
	// plans are what is known of how those are carried out.
	plans    map[int]planned
	view     *workspace.View
	outcomes chan outcome

	cost   cost
	asking asking
	recent recent // values that were loaded for the model
}

// open takes the session as an invocation before left it, or folds it.
func (d *driver) open(ctx context.Context) (err error) {
	if d.session, err = d.Warm.Take(ctx, d.Journal, d.stream); err == nil {
		d.asking, _ = d.session.Beside.(asking)
	}
	return err
}

// catchUp folds what came since, and returns whether another driver wrote any of it.
func (d *driver) catchUp(ctx context.Context) (others bool, err error) {
	err = d.session.CatchUp(ctx, d.Journal, func(c eventstore.Commit) {
		d.applied(c)
		others = others || c.By != "" && c.By != d.me.Me
	})
	return others, err
}

// applied brings what is held in memory up to a commit that was folded.
func (d *driver) applied(c eventstore.Commit) {
	for _, e := range c.Events {
		switch p := e.Data.(type) {
		case event.ModelStarted:
			d.arguments, d.plans = map[int]string{}, map[int]planned{}
			clear(d.me.Handed) // those were the round's before
			if c.By == d.me.Me && p.Attempt == 1 {
				d.me.RoundsLeft--
				d.cost.rounds++
			}
		case event.TranscriptRepaired:
			if d.me.Answer != nil && c.By == d.me.Me {
				d.me.Answer.Repaired = nil // it is told
			}
		case event.ApprovalResolved:
			delete(d.arguments, p.Index) // a person may have changed them
			delete(d.plans, p.Index)
		}
	}
	d.forget()
}

// forget drops what is held for steps that are not open any more.
func (d *driver) forget() {
	op := d.session.State.Head()
	if op == nil || op.ID != d.me.Operation {
		return
	}
	if op.Model.Phase != turn.Open {
		d.me.Answer = nil
	}
	for i := range d.me.Outcomes {
		if i >= len(op.Calls) || op.Calls[i].Phase != turn.Open {
			delete(d.me.Outcomes, i)
		}
	}
}

// look brings the situation up to the moment of a decision.
func (d *driver) look(ctx context.Context) error {
	now := d.Now()
	d.me.Now = event.At(now)
	d.me.TimeLeft = d.deadline.Sub(now)
	op := d.session.State.Head()
	if op == nil || op.ID != d.me.Operation {
		return nil
	}
	if d.agent.Name == "" {
		if err := d.use(ctx, op.Agent); err != nil {
			return err
		}
	}
	d.me.Tokens = d.session.Tokens(d.besides)
	return d.loadArguments(ctx, op)
}

// loadArguments loads those of calls that are not done and that another driver's
// model asked for.
func (d *driver) loadArguments(ctx context.Context, op *turn.Operation) error {
	var missing []event.ToolCall
	for _, c := range op.Calls {
		if _, known := d.arguments[c.Index]; !known && c.Phase != turn.Done {
			missing = append(missing, c.ToolCall)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	texts := make([]string, len(missing))
	load, within := errgroup.WithContext(ctx)
	load.SetLimit(maxAtOnce)
	for i, c := range missing {
		load.Go(func() (err error) {
			texts[i], err = d.Journal.Load(within, d.stream, c.Arguments)
			return err
		})
	}
	if err := load.Wait(); err != nil {
		return err
	}
	for i, c := range missing {
		d.arguments[c.Index] = texts[i]
	}
	var work errgroup.Group
	work.SetLimit(maxAtOnce)
	d.planAhead(missing, &work)
	return work.Wait()
}
