package loop

import (
	"context"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// driver is one invocation: the session's folds at a position, and what it holds
// in memory.
type driver struct {
	*Loop
	stream   eventstore.Stream
	deadline time.Time // effects end by then
	effects  context.Context
	stop     context.CancelFunc

	at         eventstore.Position
	state      turn.State
	transcript transcript.Transcript
	tree       workspace.Tree

	me    turn.Situation
	agent agent.Definition
	tools tool.Set

	view     *workspace.View
	outcomes chan outcome
}

// catchUp folds what came since the position, from the beginning at first, and
// returns whether another driver wrote any of it.
func (d *driver) catchUp(ctx context.Context) (others bool, err error) {
	for c, err := range d.Journal.Read(ctx, d.stream, d.at.Seq()) {
		if err != nil {
			return others, err
		}
		d.apply(c)
		others = others || c.By != "" && c.By != d.me.Me
	}
	return others, nil
}

func (d *driver) apply(c eventstore.Commit) {
	for _, e := range c.Events {
		d.state.Apply(e)
		d.transcript.Apply(e)
		d.tree.Apply(e)
		if started, ok := e.Data.(event.ModelStarted); ok && c.By == d.me.Me && started.Attempt == 1 {
			d.me.RoundsLeft--
		}
	}
	d.at = c.After()
	d.forget()
}

// forget drops what is held for steps that are not open any more.
func (d *driver) forget() {
	op := d.state.Head()
	if op == nil || op.ID != d.me.Operation {
		return
	}
	if op.Model.Phase != turn.Open {
		d.me.Answer = nil
	}
	for i := range d.me.Outcomes {
		if i >= len(op.Calls) || op.Calls[i].Phase == turn.Done {
			delete(d.me.Outcomes, i)
		}
	}
}

// look brings the situation up to the moment of a decision.
func (d *driver) look() {
	now := d.Now()
	d.me.Now = event.At(now)
	d.me.TimeLeft = d.deadline.Sub(now)
	if op := d.state.Head(); op != nil && op.ID == d.me.Operation && d.agent.Name == "" {
		d.use(op.Agent)
	}
}

// use reads the operation's pinned agent. One that cannot be read has no tools
// and no model: the turn fails with an error that says so.
func (d *driver) use(a event.Agent) {
	def, err := agent.Pinned(a)
	if err != nil {
		def = agent.Definition{Name: a.Name}
	}
	d.agent, d.tools = def, d.Tools.Only(def.Tools)
	d.me.Model, d.me.MaxRounds = def.Model.String(), def.Limits.MaxRounds
}
