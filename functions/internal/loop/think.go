package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/preview"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
)

// Delays between a round's attempts: 2 s, 8 s, 32 s and 2 min, each less up to a half
// by jitter, unless the provider says how long. They ride out the restart of a
// model server.
const (
	firstRetry = 2 * time.Second
	lastRetry  = 2 * time.Minute
	// longestWait bounds what a provider may ask for: a turn that waits holds up its
	// session's queue.
	longestWait = 15 * time.Minute
)

// think asks the model once and holds what it said; large parts of it stand apart
// from then on. What is said is shown while it comes. An error is the log's: the
// transcript could not be loaded, or the answer not be kept.
func (d *driver) think(ctx context.Context, e turn.Think) error {
	seen, err := d.session.Transcript(ctx, d.Journal)
	if err != nil {
		return err // the log's doing, not the model's
	}
	shown := d.Previews.Begin(d.effects, d.stream, preview.Step{Operation: d.me.Operation, Round: e.Round, Attempt: e.Attempt, Run: d.session.State.Head().Model.Start.Count})
	defer shown.End()
	a, err := d.ask(ctx, e.Model, seen, func(p model.Part) {
		shown.Add(event.ItemText, p.Text)
		shown.Add(event.ItemReasoning, p.Reasoning)
	})
	if err != nil || a.overtaken {
		return errors.Join(err, d.overtakenWith(ctx, a))
	}
	if a.fault != nil {
		return d.holdFault(ctx, a)
	}
	return d.hold(ctx, e, a)
}

// asked is what came of one call of a model.
type asked struct {
	model.Answer
	fault   *model.Fault
	partial string // what was said before a fault
	// repaired is what was shown otherwise than it stands in the log.
	repaired *event.TranscriptRepaired
	// again: it is asked once more at once, for less.
	again bool
	// overtaken: nobody waits for the answer any more.
	overtaken bool
	cost      event.USD
}

// ask shows a model the transcript. An error is the log's.
func (d *driver) ask(ctx context.Context, name string, seen *transcript.Transcript, see func(model.Part)) (a asked, err error) {
	p, r, fault := d.provider(name)
	if fault != nil {
		return asked{fault: fault}, nil
	}
	request, repairs, fault := d.request(ctx, p, r, name, seen)
	if fault != nil {
		return asked{fault: fault}, nil
	}
	a = d.send(ctx, p, request, see)
	if len(repairs) > 0 {
		a.repaired = &event.TranscriptRepaired{Items: seen.Len(), Repairs: repairs}
	}
	a.leaveOut(request, seen.Len())
	a.cost = d.Prices.Cost(name, a.Usage)
	return a, nil
}

// send asks, and stops asking when the log has moved on.
func (d *driver) send(ctx context.Context, p model.Provider, r model.Request, see func(model.Part)) (a asked) {
	asking, cancel := context.WithTimeout(d.effects, min(d.me.ModelTimeout, d.me.TimeLeft))
	defer cancel()
	watched, done := d.watch(asking)
	var err error
	a.Answer, a.partial, err = model.Ask(watched, p, r, see)
	a.overtaken = done()
	if err != nil && !errors.As(err, &a.fault) {
		a.fault = &model.Fault{Code: model.Unavailable, Message: "the model could not be reached"}
	}
	return a
}

// leaveOut: opaque material, or files, that a provider refuses are not shown again, and it
// is asked once more at once.
func (a *asked) leaveOut(r model.Request, items int) {
	var kind string
	switch {
	case a.fault == nil:
	case a.fault.Code == model.NativeRefused && r.HasNatives():
		kind = event.RepairNative
	case (a.fault.Code == model.Invalid || a.fault.Files) && r.HasFiles():
		kind = event.RepairFilesRefused
	}
	if kind == "" {
		return
	}
	if a.repaired == nil {
		a.repaired = &event.TranscriptRepaired{Items: items}
	}
	a.repaired.Repairs = append(a.repaired.Repairs, event.Repair{Kind: kind, Item: items})
	a.again = true
}

// overtakenWith folds what came, and keeps what was said until then: if the turn is
// being cancelled, it is told in its end.
func (d *driver) overtakenWith(ctx context.Context, a asked) error {
	partial, err := d.keepPartial(ctx, cmp.Or(a.partial, a.text()))
	if err != nil {
		return err
	}
	d.me.Answer = &turn.Answer{Fault: &turn.Fault{}, Partial: partial, Usage: a.Usage, CostUSD: a.cost}
	return d.lookAgain(ctx)
}

func (d *driver) keepPartial(ctx context.Context, text string) (*event.Value, error) {
	if text == "" {
		return nil, nil
	}
	v, err := d.Journal.Keep(ctx, d.stream, text, plainText)
	if eventstore.CodeOf(err) == eventstore.TooLarge {
		return nil, nil
	}
	return &v, err
}

// holdFault holds why there is no answer, and when to ask again.
func (d *driver) holdFault(ctx context.Context, a asked) error {
	partial, err := d.keepPartial(ctx, a.partial)
	if err != nil {
		return err
	}
	f, m := a.fault, d.session.State.Head().Model
	delay := min(firstRetry<<(2*min(m.Tries, 4)), lastRetry) // a model that is asked first is not busy because another was
	if delay = delay/2 + d.Jitter(delay/2); f.RetryAfter > 0 {
		delay = min(f.RetryAfter, longestWait)
	}
	slog.WarnContext(ctx, "the model gave no answer", "session", d.stream.Session, "operation", d.me.Operation, "model", m.Name, "attempt", m.Attempt, "code", f.Code, "message", f.Message)
	d.me.Answer = &turn.Answer{Partial: partial, Repaired: a.repaired, Usage: a.Usage, CostUSD: a.cost, Fault: &turn.Fault{
		Error: event.Error{Code: f.Code, Message: f.Message}, Permanent: f.Permanent, Again: a.again, After: delay,
	}}
	return nil
}

// plainText is the media type of what models and tools write.
const plainText = "text/plain; charset=utf-8"

// provider is who gives the model, and what its agent says of it.
func (d *driver) provider(name string) (model.Provider, string, *model.Fault) {
	provider, its, _ := strings.Cut(name, "/")
	p, ok := d.Models[provider]
	if !ok {
		return nil, "", &model.Fault{Code: model.Denied, Permanent: true,
			Message: fmt.Sprintf("agent %s asks for the model %q, whose provider is not configured; set its key or its base URL, which the README lists", d.agent.Name, name)}
	}
	return p, its, nil
}

func declare(tools tool.Set) []model.Tool {
	var all []model.Tool
	for _, n := range tools.Names() {
		t := tools[n]
		all = append(all, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return all
}
