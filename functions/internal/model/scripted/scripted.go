package scripted

import (
	"context"
	"fmt"
	"iter"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/transcript"
)

// Provider answers by script.
type Provider struct{}

// script gives the whole answer for a turn so far, and how long to take.
type script func(t turn) (parts []model.Part, latency time.Duration, fault *model.Fault)

// turn is the newest prompt, as text, and all that followed it.
type turn struct {
	prompt string
	items  []transcript.Item
	text   func(event.Value) (string, error)
}

var scripts = map[string]script{"demo": demo, "stress": stress}

// Stream implements [model.Provider].
func (Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		s, ok := scripts[r.Model]
		if !ok {
			yield(model.Part{}, &model.Fault{Code: "model_error", Message: fmt.Sprintf("there is no scripted model %q; there are demo and stress", r.Model), Permanent: true})
			return
		}
		t := turn{items: currentTurn(r.Items), text: func(v event.Value) (string, error) { return r.Text(ctx, v) }}
		if len(t.items) > 0 {
			var err error
			if t.prompt, err = t.text(t.items[0].Text); err != nil {
				yield(model.Part{}, err)
				return
			}
		}
		parts, latency, fault := s(t)
		if fault != nil {
			yield(model.Part{}, fault)
			return
		}
		if !pause(ctx, latency) {
			yield(model.Part{}, ctx.Err())
			return
		}
		var usage event.Tokens
		for _, p := range parts {
			usage.OutputTokens += tokens(len(p.Text)) + callTokens(p.Call)
			usage.ReasoningTokens += tokens(len(p.Reasoning))
			if !yield(p, nil) {
				return
			}
		}
		usage.OutputTokens += usage.ReasoningTokens // as providers count
		usage.InputTokens = inputTokens(t.items)
		stop := model.StopEnd
		if len(parts) > 0 && parts[len(parts)-1].Call != nil {
			stop = model.StopTools
		}
		yield(model.Part{Stop: stop, Usage: usage}, nil)
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// currentTurn is the newest prompt and all that followed it.
func currentTurn(items []transcript.Item) []transcript.Item {
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Kind == transcript.User {
			return items[i:]
		}
	}
	return nil
}

// tokens is a rough count: four bytes are one.
func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

func callTokens(c *model.Call) int64 {
	if c == nil {
		return 0
	}
	return tokens(len(c.Name) + len(c.Arguments))
}

func inputTokens(items []transcript.Item) (n int64) {
	for _, it := range items {
		n += tokens(int(it.Text.Len() + it.Output.Len()))
		if it.Kind == transcript.ToolCall {
			n += tokens(len(it.Call.Name) + int(it.Call.Arguments.Len()))
		}
	}
	return n
}

// round counts the answers so far: the next one is round+1's.
func round(turn []transcript.Item) (n int) {
	answering := false
	for _, it := range turn {
		said := it.Kind == transcript.Text || it.Kind == transcript.Reasoning || it.Kind == transcript.ToolCall
		if said && !answering {
			n++
		}
		answering = said
	}
	return n
}

func lastResults(turn []transcript.Item) (results []transcript.Item) {
	for i := len(turn) - 1; i >= 0 && turn[i].Kind == transcript.ToolResult; i-- {
		results = append([]transcript.Item{turn[i]}, results...)
	}
	return results
}
