package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
)

// Delays between a round's attempts: doubled each time, with full jitter, unless
// the provider asked for more.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
	// longestWait bounds what a provider may ask for: a turn that waits holds up its
	// session's queue.
	longestWait = 15 * time.Minute
)

// think asks the model once and holds what it said.
func (d *driver) think(e turn.Think) {
	ctx, cancel := context.WithTimeout(d.effects, min(d.me.ModelTimeout, d.me.TimeLeft))
	defer cancel()
	items, end, err := d.ask(ctx)
	if err == nil {
		d.me.Answer = &turn.Answer{Items: items, Usage: end.Usage, Stop: end.Stop}
		return
	}
	var f *model.Fault
	if !errors.As(err, &f) {
		f = &model.Fault{Code: "unavailable", Message: "the model could not be reached"}
	}
	delay := d.Jitter(min(firstRetry<<(e.Attempt-1), lastRetry))
	d.me.Answer = &turn.Answer{Fault: &turn.Fault{
		Error: event.Error{Code: f.Code, Message: f.Message}, Permanent: f.Permanent, After: max(delay, min(f.RetryAfter, longestWait)),
	}}
}

func (d *driver) ask(ctx context.Context) ([]event.ModelItem, model.Part, error) {
	p, ok := d.Models[d.agent.Model.Provider]
	if !ok {
		return nil, model.Part{}, &model.Fault{Code: "model_error", Permanent: true,
			Message: fmt.Sprintf("agent %s asks for the model provider %q, which is not deployed", d.agent.Name, d.agent.Model.Provider)}
	}
	return model.Ask(ctx, p, model.Request{
		Model: d.agent.Model.Name, Instructions: d.agent.Instructions, Items: d.transcript.Items, Tools: declare(d.tools),
	})
}

func declare(tools tool.Set) []model.Tool {
	var all []model.Tool
	for _, n := range tools.Names() {
		t := tools[n]
		all = append(all, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return all
}
