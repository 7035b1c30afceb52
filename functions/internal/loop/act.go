package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// maxAtOnce bounds the calls that run at the same time, and the values that are stored or
// loaded.
const maxAtOnce = 32

// outcome is what came of a call; held is nil if its turn came too late to begin.
type outcome struct {
	index int
	held  turn.Outcome
	// handed: another agent carries it out.
	handed bool
}

// planned is how a call would be carried out: by which tool, or why by none. It follows
// from the call's arguments and the turn's pinned agent, so it is found out once a round:
// a round may have thousands of calls, and megabytes of arguments.
type planned struct {
	call tool.Call
	err  error
	turn.Plan
}

// plan says how a call would be carried out.
func (d *driver) plan(c event.ToolCall) turn.Plan { return d.planned(c).Plan }

func (d *driver) planned(c event.ToolCall) planned {
	p, known := d.plans[c.Index]
	if !known {
		p = d.planAnew(c)
		d.plans[c.Index] = p
	}
	return p
}

// planAhead plans those calls at once whose arguments take a while to read. What panics
// is left out: it is planned again, and panics, where the invocation hears of it.
func (d *driver) planAhead(calls []event.ToolCall, work *errgroup.Group) {
	var one sync.Mutex
	for _, c := range calls {
		if len(d.arguments[c.Index]) > event.MaxInline {
			work.Go(func() error {
				defer func() { _ = recover() }()
				p := d.planAnew(c)
				one.Lock()
				defer one.Unlock()
				d.plans[c.Index] = p
				return nil
			})
		}
	}
}

func (d *driver) planAnew(c event.ToolCall) planned {
	call, err := d.tools.Find(c.Name, d.arguments[c.Index])
	if err != nil {
		e := failure(err)
		return planned{err: err, Plan: turn.Plan{Refusal: &e}}
	}
	t := call.Tool
	p := planned{call: call, Plan: turn.Plan{Effect: string(t.Effect), Timeout: t.Timeout, Target: call.Target(), Reconciles: t.Reconcile != nil}}
	switch permission, its := d.permit(call); permission {
	case agent.Deny:
		p.Refusal = &event.Error{Code: "denied", Message: "this agent may not do that; its policy forbids it"}
	case agent.Ask:
		p.Ask, p.AskFor = true, its.Waits()
	}
	if t.Name == tool.Delegate && p.Refusal == nil {
		p.Delegate, p.Refusal = d.delegation(c)
	}
	return p
}

// act begins calls: those of one target one after the other, in the model's
// order, the rest at the same time.
func (d *driver) act(ctx context.Context, calls []turn.Call) error {
	var shown map[string]event.Value
	if slices.ContainsFunc(calls, func(c turn.Call) bool { return c.Name == tool.ReadOutput }) {
		var err error
		if shown, err = d.outputs(ctx); err != nil {
			return err
		}
	}
	if len(d.me.Running) == 0 {
		d.view = workspace.NewView(&d.session.Tree)
	}
	slots := make(chan struct{}, maxAtOnce)
	q := queue{last: map[string]chan struct{}{}}
	for _, c := range calls {
		if c.Phase == turn.Elsewhere {
			d.handOver(c, d.arguments[c.Index], slots)
			continue
		}
		p := d.planned(c.ToolCall)
		t := p.call.Tool
		if p.err != nil { // begun by a build that had it
			d.me.Outcomes[c.Index] = failed(c, p.err)
			continue
		}
		after, done := q.add(p.Target)
		d.me.Running[c.Index] = true
		env := d.env(c)
		env.Outputs = func(sha256 string) (event.Value, bool) { v, ok := shown[sha256]; return v, ok }
		its, effects, deadline := d.allowed[t.Name], d.effects, d.deadline
		gate := d.gate(its)
		if t.Effect == tool.Once { // nobody decides what became of it before its time is over
			deadline = c.Until.Time
		}
		go func() {
			defer close(done) // after the outcome is held: what comes next on this target cannot be appended before it
			for _, before := range after {
				<-before
			}
			gate <- struct{}{}
			slots <- struct{}{}
			o := outcome{index: c.Index}
			if left := deadline.Sub(d.Now()); left >= t.Timeout || t.Effect == tool.Once && left > 0 {
				ctx, cancel := context.WithTimeout(effects, left)
				o.held = d.carryOut(ctx, p.call, its, env, c)
				cancel()
			}
			<-slots
			<-gate
			select {
			case d.outcomes <- o:
			case <-d.effects.Done(): // nobody holds it any more
			}
		}()
	}
	return nil
}

func (d *driver) carryOut(ctx context.Context, call tool.Call, its agent.Tool, env tool.Env, c turn.Call) turn.Outcome {
	r, err := call.Attempt(ctx, env, its.Attempts)
	if err == nil && r.Later != nil {
		return d.deferred(c, r.Later)
	}
	var output event.Value
	if err == nil {
		output, err = keep(ctx, call.Tool, env, r.Output)
	}
	return held(c, its, r, output, err)
}

func (d *driver) deferred(c turn.Call, l *tool.Later) turn.Outcome {
	return turn.Outcome{event.ToolDeferred{Index: c.Index, Name: c.Name, Until: event.At(d.Now().Add(min(l.For, tool.MaxLater))), Again: l.Again}}
}

// gate lets so many calls of an entry through at a time as its definition says.
func (d *driver) gate(its agent.Tool) chan struct{} {
	g := d.gates[its.Name]
	if g == nil {
		g = make(chan struct{}, cmp.Or(its.MaxConcurrency, maxAtOnce))
		d.gates[its.Name] = g
	}
	return g
}

// keep keeps an output. Of a call that must not be repeated nobody reads that it
// failed because its output could not be kept.
func keep(ctx context.Context, t *tool.Tool, env tool.Env, text string) (event.Value, error) {
	output, err := env.Values.Keep(ctx, text, plainText)
	if err != nil && t.Effect == tool.Once {
		return event.Text(tool.Unkept), nil
	}
	return output, err
}

// held is what is appended of a call that ran.
func held(c turn.Call, its agent.Tool, r tool.Result, output event.Value, err error) turn.Outcome {
	if errors.Is(err, tool.ErrUnknown) {
		return turn.Outcome{event.ToolUnknown{Index: c.Index, Name: c.Name}}
	}
	if err != nil {
		return failed(c, err)
	}
	held := append(turn.Outcome{}, r.Files...)
	return append(held, event.ToolCompleted{Index: c.Index, CallID: c.CallID, Name: c.Name, Output: output, Shown: its.MaxOutput})
}

// env is what a call may use. Its key is the step's name: the same for every
// repetition, and no other call's.
func (d *driver) env(c turn.Call) tool.Env {
	at := callback.Step{Stream: d.stream, Operation: d.me.Operation, Round: d.session.State.Head().Round, Index: c.Index}
	return tool.Env{
		Session: d.stream.Session, Agent: d.agent.Name, Again: c.Again,
		Workspace: d.view, Values: values{d.Journal, d.stream}, Key: fmt.Sprintf("%s/%s/%d/%d", at.Stream, at.Operation, at.Round, at.Index),
		Callback: func(ctx context.Context) (string, error) { return d.Callbacks.URL(ctx, at) },
		Submit: func(ctx context.Context, s tool.Submission) error {
			return d.Families.Submit(ctx, at.Stream, event.Parent{Session: at.Stream.Session, Operation: at.Operation, Round: at.Round, Index: at.Index}, s)
		},
	}
}

func failed(c turn.Call, err error) turn.Outcome {
	return turn.Outcome{event.ToolFailed{Index: c.Index, CallID: c.CallID, Name: c.Name, Error: failure(err)}}
}

func failure(err error) event.Error {
	var f tool.Failure
	if errors.As(err, &f) {
		return event.Error(f)
	}
	return event.Error{Code: "internal", Message: "the tool failed unexpectedly; this was logged"}
}

// await holds outcomes as they come, until all calls are done or one has been
// held for long enough.
func (d *driver) await(ctx context.Context) error {
	var flush <-chan time.Time
	look := time.NewTicker(d.Limits.LookEvery)
	defer look.Stop()
	for len(d.me.Running) > 0 {
		if flush == nil && len(d.me.Outcomes) > 0 {
			t := time.NewTimer(d.Limits.FlushAfter)
			defer t.Stop()
			flush = t.C
		}
		select {
		case o := <-d.outcomes:
			delete(d.me.Running, o.index)
			if o.held != nil {
				d.me.Outcomes[o.index] = o.held
			}
			d.me.Handed[o.index] = d.me.Handed[o.index] || o.handed
		case <-flush:
			d.me.Flush = true
			return nil
		case <-look.C:
			if d.overtaken(ctx) {
				return d.lookAgain(ctx)
			}
		case <-ctx.Done():
			return fmt.Errorf("loop: the invocation's time is up: %w", ctx.Err())
		}
	}
	return nil
}

// queue orders calls by what they work on. Its cost is linear in the calls.
type queue struct {
	last  map[string]chan struct{} // by target
	files []chan struct{}          // since the last call on every file
	every chan struct{}            // that call
}

// add returns what must be done before a call on target may run, and what to
// close when it has.
func (q *queue) add(target string) (after []chan struct{}, done chan struct{}) {
	done = make(chan struct{})
	switch target {
	case "":
		return nil, done
	case tool.EveryFile:
		after = q.files
		if q.every != nil {
			after = append(after, q.every)
		}
		q.files, q.every, q.last = nil, done, map[string]chan struct{}{}
		return after, done
	}
	if before := q.last[target]; before != nil {
		after = append(after, before)
	} else if q.every != nil {
		after = append(after, q.every)
	}
	q.last[target] = done
	q.files = append(q.files, done)
	return after, done
}
