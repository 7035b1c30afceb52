package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/model"
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
// from then on. An error is the log's: the transcript could not be loaded, or the
// answer not be kept.
func (d *driver) think(ctx context.Context, e turn.Think) error {
	seen, err := d.session.Transcript(ctx, d.Journal)
	if err != nil {
		return err // the log's doing, not the model's
	}
	asking, cancel := context.WithTimeout(d.effects, min(d.me.ModelTimeout, d.me.TimeLeft))
	defer cancel()
	watched, done := d.watch(asking)
	items, end, err := d.ask(watched, seen.Items)
	if done() {
		return d.lookAgain(ctx)
	}
	if err == nil {
		err = d.hold(ctx, items, end)
		if err == nil || eventstore.CodeOf(err) != eventstore.TooLarge {
			return err
		}
		err = &model.Fault{Code: "too_large", Permanent: true, Message: "the model's answer is too large to be kept"}
	}
	var f *model.Fault
	if !errors.As(err, &f) {
		f = &model.Fault{Code: "unavailable", Message: "the model could not be reached"}
	}
	delay := min(firstRetry<<(2*(e.Attempt-1)), lastRetry)
	if delay = delay/2 + d.Jitter(delay/2); f.RetryAfter > 0 {
		delay = min(f.RetryAfter, longestWait)
	}
	slog.WarnContext(ctx, "the model gave no answer", "session", d.stream.Session, "operation", d.me.Operation, "model", d.me.Model, "attempt", e.Attempt, "code", f.Code, "message", f.Message)
	d.me.Answer = &turn.Answer{Fault: &turn.Fault{
		Error: event.Error{Code: f.Code, Message: f.Message}, Permanent: f.Permanent, After: delay,
	}}
	return nil
}

// hold keeps an answer as the log will have it.
func (d *driver) hold(ctx context.Context, items []event.ModelItem, end model.Part) (err error) {
	d.arguments = map[int]string{}
	var texts []string
	for _, it := range items {
		switch {
		case it.Text != nil:
			if it.Kind == event.ItemText {
				texts = append(texts, it.Text.Inline())
			}
			if *it.Text, err = d.Journal.Keep(ctx, d.stream, it.Text.Inline(), plainText); err != nil {
				return err
			}
		case it.Call != nil:
			d.arguments[it.Call.Index] = it.Call.Arguments.Inline()
			if it.Call.Arguments, err = d.Journal.Keep(ctx, d.stream, it.Call.Arguments.Inline(), plainText); err != nil {
				return err
			}
		}
	}
	a := &turn.Answer{Items: items, Usage: end.Usage, Stop: end.Stop}
	if len(texts) > 1 {
		all, err := d.Journal.Keep(ctx, d.stream, strings.Join(texts, ""), plainText)
		if err != nil {
			return err
		}
		a.Output = &all
	}
	d.me.Answer = a
	return nil
}

// plainText is the media type of what models and tools write.
const plainText = "text/plain; charset=utf-8"

func (d *driver) ask(ctx context.Context, seen []transcript.Item) ([]event.ModelItem, model.Part, error) {
	p, ok := d.Models[d.agent.Model.Provider]
	if !ok {
		return nil, model.Part{}, &model.Fault{Code: "model_error", Permanent: true,
			Message: fmt.Sprintf("agent %s asks for the model provider %q, which is not configured; set its key or its base URL (for openai OPENAI_API_KEY or OPENAI_BASE_URL)", d.agent.Name, d.agent.Model.Provider)}
	}
	return model.Ask(ctx, p, model.Request{
		Model: d.agent.Model.Name, Instructions: d.agent.Instructions, Items: seen, Tools: declare(d.tools),
		Load: d.load,
	})
}

// load gives a value's text. Large ones are kept for the rounds to come, which show
// the model the same transcript again.
func (d *driver) load(ctx context.Context, v event.Value) (string, error) {
	ref, apart := v.Ref()
	if text, ok := d.recent.get(ref.SHA256); apart && ok {
		return text, nil
	}
	text, err := d.Journal.Load(ctx, d.stream, v)
	if err != nil {
		slog.ErrorContext(ctx, "a value of the transcript could not be loaded", "session", d.stream.Session, "error", err)
	} else if apart {
		d.recent.put(ref.SHA256, text)
	}
	return text, err
}

func declare(tools tool.Set) []model.Tool {
	var all []model.Tool
	for _, n := range tools.Names() {
		t := tools[n]
		all = append(all, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return all
}
