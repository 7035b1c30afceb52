package openai

import (
	"bytes"
	"context"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/transcript"
)

type message struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content string `json:"content"`
}

type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionCallOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// failedCall is the output of a call that failed. Arguments are what the model
// wrote, if they could not be sent.
type failedCall struct {
	Error     event.Error `json:"error"`
	Arguments string      `json:"arguments,omitempty"`
}

// openCall is a call that waits for its result.
type openCall struct{ id, malformed string }

// projection writes items as the API's input.
type projection struct {
	out  bytes.Buffer
	text func(context.Context, event.Value) (string, error)
	// size is what was loaded so far.
	size int64
	// used are the call ids in the request, round the batches, open the calls of
	// the newest one that have no result yet, answered whether one has.
	used     map[string]bool
	round    int
	open     map[int]openCall
	answered bool
	written  int
}

// items writes the transcript. Reasoning is left out: without the provider's own
// encrypted form, which the log does not keep, no server takes it back. Neither
// are the provider's item ids: a call with one wants its reasoning beside it.
func (p *projection) items(ctx context.Context, items []transcript.Item) error {
	p.used, p.open = map[string]bool{}, map[int]openCall{}
	for _, it := range items {
		var err error
		switch it.Kind {
		case transcript.User:
			p.answered = true // what calls there are before belong to an earlier turn
			err = p.message(ctx, "user", it.Text)
		case transcript.Text:
			err = p.message(ctx, "assistant", it.Text)
		case transcript.ToolCall:
			err = p.call(ctx, it.Call)
		case transcript.ToolResult:
			err = p.result(ctx, it)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load gives a value's text. What a value weighs is known before it is fetched.
func (p *projection) load(ctx context.Context, v event.Value) (string, error) {
	if p.size += v.Len(); p.size > maxRequest {
		return "", tooLong()
	}
	s, err := p.text(ctx, v)
	if err != nil {
		return "", errNoValue{err}
	}
	return clean(s), nil
}

func (p *projection) item(v any) error {
	if p.written++; p.written > 1 {
		p.out.WriteByte(',')
	}
	return p.write(v)
}

func (p *projection) message(ctx context.Context, role string, text event.Value) error {
	s, err := p.load(ctx, text)
	if err != nil || s == "" {
		return err
	}
	return p.item(message{"message", role, s})
}

func (p *projection) call(ctx context.Context, c *event.ToolCall) error {
	if p.round == 0 || p.answered {
		p.round, p.answered, p.open = p.round+1, false, map[int]openCall{}
	}
	arguments, err := p.load(ctx, c.Arguments)
	if err != nil {
		return err
	}
	o := openCall{id: p.callID(c)}
	if !isObject(arguments) {
		o.malformed, arguments = head(arguments), "{}"
	}
	arguments = wholeRunes(arguments)
	p.open[c.Index] = o
	return p.item(functionCall{"function_call", o.id, callName(c.Name), arguments})
}

func (p *projection) result(ctx context.Context, it transcript.Item) error {
	o, ok := p.open[it.Call.Index]
	if !ok {
		return &model.Fault{Code: "model_error", Permanent: true, Message: "the transcript holds a result without its call"}
	}
	delete(p.open, it.Call.Index)
	p.answered = true
	if it.Error == nil {
		s, err := p.load(ctx, it.Output)
		if err != nil {
			return err
		}
		return p.item(functionCallOutput{"function_call_output", o.id, s})
	}
	failed := failedCall{Error: event.Error{Code: clean(it.Error.Code), Message: clean(it.Error.Message)}, Arguments: o.malformed}
	var b bytes.Buffer
	if err := appendJSON(&b, failed); err != nil {
		return err
	}
	return p.item(functionCallOutput{"function_call_output", o.id, b.String()})
}
