package model

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

// Request is one round's question.
type Request struct {
	// Model is the provider's name for it.
	Model        string
	Instructions string
	// Items is the transcript so far, the newest last. Read only.
	Items []transcript.Item
	Tools []Tool
	// Load gives a value's text, wherever it stands.
	Load func(context.Context, event.Value) (string, error)
}

// Text loads a value; without a loader it has to stand in the log.
func (r Request) Text(ctx context.Context, v event.Value) (string, error) {
	if r.Load == nil {
		return v.Inline(), nil
	}
	return r.Load(ctx, v)
}

// Tool is what the model is told of a tool.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Part is a piece of an answer, as it arrives. Text and reasoning come in deltas
// that belong together until another kind of part comes; a call comes whole; the
// last part has Stop.
type Part struct {
	Text      string
	Reasoning string
	Call      *Call
	Stop      string
	Usage     event.Tokens
}

// Reasons to stop.
const (
	StopEnd     = "end"
	StopTools   = "tools"
	StopLength  = "length"
	StopRefusal = "refusal"
)

// Call is a tool call as the provider gave it.
type Call struct{ ID, Name, Arguments string }

// Provider asks a model once.
type Provider interface {
	// Stream yields the answer's parts, then ends; or yields an error, a [Fault]
	// where the provider said what is wrong. It ends soon after ctx does.
	Stream(ctx context.Context, r Request) iter.Seq2[Part, error]
}

// Fault is why a call gave no answer.
type Fault struct {
	// Code is public: rate_limited, overloaded, unavailable, timeout,
	// context_overflow, model_error.
	Code    string
	Message string
	// Permanent: asking again would give the same.
	Permanent bool
	// RetryAfter is what the provider asked for; 0 if nothing.
	RetryAfter time.Duration
}

func (f *Fault) Error() string { return f.Code + ": " + f.Message }

// Ask streams one answer and puts it together as the log keeps it. The error is
// a *Fault, whatever happened.
func Ask(ctx context.Context, p Provider, r Request) (items []event.ModelItem, end Part, err error) {
	var b builder
	for part, err := range p.Stream(ctx, r) {
		if err != nil {
			return nil, Part{}, fault(ctx, err)
		}
		b.add(part)
		if part.Stop != "" {
			return b.done(), part, nil
		}
	}
	return nil, Part{}, fault(ctx, errBrokeOff)
}

var errBrokeOff = errors.New("the model's answer broke off")

func fault(ctx context.Context, err error) *Fault {
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil:
		return &Fault{Code: "timeout", Message: "the model gave no whole answer in time"}
	case errors.Is(err, errBrokeOff):
		return &Fault{Code: "unavailable", Message: err.Error()}
	}
	return &Fault{Code: "unavailable", Message: "the model could not be reached"}
}

// builder joins deltas into items.
type builder struct {
	items []event.ModelItem
	kind  string
	text  strings.Builder
	calls int
}

func (b *builder) add(p Part) {
	if p.Reasoning != "" {
		b.delta(event.ItemReasoning, p.Reasoning)
	}
	if p.Text != "" {
		b.delta(event.ItemText, p.Text)
	}
	if p.Call != nil {
		b.flush()
		b.items = append(b.items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{
			Index: b.calls, CallID: bounded(p.Call.ID), Name: bounded(p.Call.Name), Arguments: event.Text(p.Call.Arguments)}})
		b.calls++
	}
}

// maxName bounds a call's id and name, in bytes. They are repeated in its result,
// and no tool's name and no provider's id is as long.
const maxName = 512

func bounded(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
}

func (b *builder) delta(kind, text string) {
	if b.kind != kind {
		b.flush()
		b.kind = kind
	}
	b.text.WriteString(text)
}

func (b *builder) flush() {
	if b.kind == "" {
		return
	}
	v := event.Text(b.text.String())
	b.items = append(b.items, event.ModelItem{Kind: b.kind, Text: &v})
	b.kind = ""
	b.text.Reset()
}

func (b *builder) done() []event.ModelItem {
	b.flush()
	if b.items == nil {
		b.items = []event.ModelItem{} // "items" is always an array
	}
	return b.items
}
