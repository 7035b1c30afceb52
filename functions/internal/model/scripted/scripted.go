package scripted

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// Provider answers by script.
type Provider struct{}

// script gives the answer for a turn so far.
type script func(t turn) (answer, *model.Fault)

// turn is the newest prompt, and all that followed it.
type turn struct {
	prompt   string
	messages []projection.Message
}

var scripts = map[string]script{"demo": demo, "stress": stress, "schedule": schedule}

// Rules implements [model.Provider].
func (Provider) Rules() projection.Rules { return projection.Rules{} }

// Stream implements [model.Provider].
func (Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		s, ok := scripts[r.Model]
		if !ok {
			yield(model.Part{}, &model.Fault{Code: model.Denied, Message: fmt.Sprintf("there is no scripted model %q; there are demo, schedule and stress", r.Model), Permanent: true})
			return
		}
		if r.Purpose == event.PurposeCompact {
			s = summary
		}
		t := currentTurn(r.Messages)
		a, fault := s(t)
		if fault != nil {
			yield(model.Part{}, fault)
			return
		}
		if !pause(ctx, a.latency) {
			yield(model.Part{}, ctx.Err())
			return
		}
		for _, p := range a.parts {
			for piece := range a.pieces(p) {
				if !yield(piece, nil) {
					return
				}
				if !pause(ctx, a.chunkPause) {
					yield(model.Part{}, ctx.Err())
					return
				}
			}
		}
		yield(end(r.Messages, a.parts), nil)
	}
}

// answer is what a script says, and how fast.
type answer struct {
	parts   []model.Part
	latency time.Duration
	// chunk is how many bytes of text come at a time, with chunkPause behind each; 0 for
	// all at once.
	chunk      int
	chunkPause time.Duration
}

// pieces cuts a part's text.
func (a answer) pieces(p model.Part) iter.Seq[model.Part] {
	return func(yield func(model.Part) bool) {
		if a.chunk <= 0 || p.Call != nil {
			yield(p)
			return
		}
		for text, reasoning := p.Text, p.Reasoning; text != "" || reasoning != ""; {
			n, m := min(a.chunk, len(text)), min(a.chunk, len(reasoning))
			if !yield(model.Part{Text: text[:n], Reasoning: reasoning[:m]}) {
				return
			}
			text, reasoning = text[n:], reasoning[m:]
		}
	}
}

// end is the last part. Nothing of it is billed, and nothing cached.
func end(asked []projection.Message, parts []model.Part) model.Part {
	p := model.Part{Stop: model.StopEnd}
	for _, part := range parts {
		p.Usage.OutputTokens += tokens(len(part.Text)) + callTokens(part.Call)
		p.Usage.ReasoningTokens += tokens(len(part.Reasoning))
		if part.Call != nil {
			p.Stop = model.StopTools
		}
	}
	p.Usage.OutputTokens += p.Usage.ReasoningTokens // as providers count
	p.Usage.InputTokens = inputTokens(asked)
	return p
}

// summary stands for the conversation's beginning.
func summary(t turn) (answer, *model.Fault) {
	return say(fmt.Sprintf("The script's summary of %d bytes of conversation.", len(t.prompt)))
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

// currentTurn is the newest text that a person said, and all that followed it.
func currentTurn(messages []projection.Message) turn {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != projection.User {
			continue
		}
		for _, p := range slices.Backward(messages[i].Parts) {
			if p.Text != "" && !beside(p.Text) {
				return turn{p.Text, messages[i+1:]}
			}
		}
	}
	return turn{}
}

// beside: files that a prompt comes with stand behind it, and what a person says when
// they allow a call is no prompt.
func beside(text string) bool {
	return strings.HasPrefix(text, "File /") || strings.HasPrefix(text, "[File ") || strings.HasPrefix(text, "A person allowed call ")
}

// tokens is a rough count: four bytes are one.
func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

func callTokens(c *model.Call) int64 {
	if c == nil {
		return 0
	}
	return tokens(len(c.Name) + len(c.Arguments))
}

func inputTokens(messages []projection.Message) (n int64) {
	for _, m := range messages {
		for _, p := range m.Parts {
			n += tokens(len(p.Text))
			if p.Call != nil {
				n += tokens(len(p.Call.Name) + len(p.Call.Arguments))
			}
			if p.Result != nil {
				n += tokens(len(p.Result.Output))
			}
		}
	}
	return n
}

// answers counts those of the turn so far.
func (t turn) answers() (n int) {
	for _, m := range t.messages {
		if m.Role == projection.Assistant {
			n++
		}
	}
	return n
}

// results are those of the newest answer's calls.
func (t turn) results() (results []projection.Result) {
	if n := len(t.messages); n > 0 {
		for _, p := range t.messages[n-1].Parts {
			if p.Result != nil {
				results = append(results, *p.Result)
			}
		}
	}
	return results
}
