package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"windlass/eventstore/event"
)

// Answer is what came of a call, as the log keeps it.
type Answer struct {
	Items []event.ModelItem
	Stop  string
	Usage event.Tokens
}

// Ask streams one answer and puts it together; see, if given, is shown each piece
// as it comes. The error is a *Fault, whatever happened; then partial is the text
// that had come.
func Ask(ctx context.Context, p Provider, r Request, see func(Part)) (answer Answer, partial string, err error) {
	var b builder
	var used event.Tokens
	for part, err := range p.Stream(ctx, r) {
		if err == nil && b.calls > MaxCalls {
			err = &Fault{Code: TooLarge, Permanent: true, Message: fmt.Sprintf("the model asks for more than %d calls at once", MaxCalls)}
		}
		if err != nil {
			return Answer{Usage: used}, b.said.String(), fault(ctx, err)
		}
		if part.Usage != (event.Tokens{}) {
			used = part.Usage
		}
		if see != nil {
			see(part)
		}
		b.add(part)
		if part.Stop != "" {
			return Answer{b.done(), part.Stop, part.Usage}, "", nil
		}
	}
	return Answer{Usage: used}, b.said.String(), fault(ctx, errBrokeOff)
}

// MaxCalls bounds the calls of one answer, so that whatever ends a turn, with a result
// for each, fits into one commit.
const MaxCalls = 2_000

var errBrokeOff = errors.New("the model's answer broke off")

func fault(ctx context.Context, err error) *Fault {
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil:
		return &Fault{Code: Timeout, Message: "the model gave no whole answer in time"}
	case errors.Is(err, errBrokeOff):
		return &Fault{Code: Unavailable, Message: err.Error()}
	}
	return &Fault{Code: Unavailable, Message: "the model could not be reached"}
}

// builder joins deltas into items.
type builder struct {
	items []event.ModelItem
	kind  string
	text  strings.Builder // of the item under way
	said  strings.Builder // all text so far
	calls int
}

func (b *builder) add(p Part) {
	if p.Reasoning != "" {
		b.delta(event.ItemReasoning, p.Reasoning)
	}
	if p.Text != "" {
		b.said.WriteString(p.Text)
		b.delta(event.ItemText, p.Text)
	}
	if p.Native != "" {
		b.native(p.Native)
	}
	if p.Call != nil {
		b.flush()
		b.items = append(b.items, event.ModelItem{Kind: event.ItemToolCall, Native: given(p.Call.Native), Call: &event.ToolCall{
			Index: b.calls, CallID: bounded(p.Call.ID), Name: bounded(p.Call.Name), Arguments: event.Text(p.Call.Arguments)}})
		b.calls++
	}
	if p.File != nil {
		b.flush()
		b.items = append(b.items, event.ModelItem{Kind: event.ItemFile, File: &event.File{Type: bounded(p.File.Type), Content: event.Text(p.File.Data)}})
	}
}

// maxName bounds a call's id and name, in bytes. They are repeated in its result,
// and no tool's name and no provider's id is as long.
const maxName = 512

func bounded(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
}

func given(s string) *event.Value {
	if s == "" {
		return nil
	}
	v := event.Text(s)
	return &v
}

func (b *builder) delta(kind, text string) {
	if b.kind != kind {
		b.flush()
		b.kind = kind
	}
	b.text.WriteString(text)
}

// native ends the item under way, or is one of its own.
func (b *builder) native(s string) {
	if b.kind == "" {
		b.items = append(b.items, event.ModelItem{Kind: event.ItemOpaque, Native: given(s)})
		return
	}
	b.flush()
	b.items[len(b.items)-1].Native = given(s)
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
