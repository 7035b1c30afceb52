package scripted_test

import (
	"context"
	"errors"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/scripted"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/workspace"
)

// answer is what the model said in one round.
type answer struct {
	reasoning, text string
	calls           []event.ToolCall
	end             model.Part
}

// play runs a turn: it asks, carries out the calls, and asks again.
func play(t testing.TB, name string, prompts ...string) (answers []answer, files *workspace.View, err error) {
	t.Helper()
	log, tree := &transcript.Transcript{}, &workspace.Tree{}
	files = workspace.NewView(tree)
	for _, p := range prompts { // the earlier ones are turns that failed at once
		log.Apply(event.Event{Data: event.OperationAccepted{Prompt: event.Text(p)}})
		log.Apply(event.Event{Data: event.OperationStarted{}})
	}
	for range 200 {
		said, _, err := model.Ask(t.Context(), scripted.Provider{}, model.Request{Model: name, Messages: messages(t, log)}, nil)
		if err != nil {
			return answers, files, err
		}
		items := said.Items
		a := answer{end: model.Part{Stop: said.Stop, Usage: said.Usage}}
		for _, it := range items {
			switch it.Kind {
			case event.ItemReasoning:
				a.reasoning += it.Text.Inline()
			case event.ItemText:
				a.text += it.Text.Inline()
			case event.ItemToolCall:
				a.calls = append(a.calls, *it.Call)
			}
		}
		answers = append(answers, a)
		log.Apply(event.Event{Data: event.ModelCompleted{Items: items}})
		if len(a.calls) == 0 {
			return answers, files, nil
		}
		for _, c := range a.calls {
			log.Apply(event.Event{Data: carryOut(t, files, c)})
		}
	}
	t.Fatal("the script does not come to an end")
	return nil, nil, nil
}

// messages are what a model is shown, every value in the log itself.
func messages(t testing.TB, log *transcript.Transcript) []projection.Message {
	t.Helper()
	var items []projection.Item
	for _, p := range log.Shown() {
		it := projection.Item{Item: p.Item, N: p.N, Body: p.Text.Inline() + p.Output.Inline()}
		if p.Kind == transcript.ToolCall {
			it.Body = p.Call.Arguments.Inline()
		}
		items = append(items, it)
	}
	m, _, err := projection.Project(items, projection.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func carryOut(t testing.TB, files *workspace.View, c event.ToolCall) event.Payload {
	t.Helper()
	x, err := tool.All.Find(c.Name, c.Arguments.Inline())
	if err != nil {
		t.Fatalf("%s asks for what no tool takes: %v", c.CallID, err)
	}
	r, err := x.Run(t.Context(), tool.Env{Workspace: files, Values: inline{}})
	var f tool.Failure
	if errors.As(err, &f) {
		return event.ToolFailed{Index: c.Index, Error: event.Error(f)}
	}
	return event.ToolCompleted{Index: c.Index, Output: event.Text(r.Output)}
}

func fault(t testing.TB, err error) model.Fault {
	t.Helper()
	var f *model.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Fault", err)
	}
	return *f
}

// inline keeps every value as it is.
type inline struct{}

func (inline) Keep(_ context.Context, data, _ string) (event.Value, error) {
	return event.Text(data), nil
}

func (inline) Load(_ context.Context, v event.Value, offset, n int64) (string, error) {
	offset = min(offset, v.Len())
	return v.Inline()[offset:min(offset+n, v.Len())], nil
}
