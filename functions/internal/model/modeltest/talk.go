package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"
	"windlass/tests/providers"
)

// talk is a conversation with one model, as the log would keep it.
type talk struct {
	Suite
	p      model.Provider
	origin string
	items  []projection.Item
}

// talk begins one with the server that gives these answers, and the last of them
// again.
func (s Suite) talk(t *testing.T, answers ...providers.Answer) (*talk, *providers.Server) {
	t.Helper()
	server := providers.Serve(t, s.Protocol, func(n int, _ []byte) providers.Answer { return answers[min(n, len(answers)-1)] })
	return &talk{Suite: s, p: s.New(t, server.URL), origin: s.Protocol.Name() + "/" + s.Model}, server
}

func (c *talk) add(it projection.Item) {
	it.N = len(c.items) + 1
	c.items = append(c.items, it)
}

func (c *talk) say(text string) {
	c.add(projection.Item{Item: transcript.Item{Kind: transcript.User}, Body: text})
}

// hear keeps an answer.
func (c *talk) hear(items []event.ModelItem) {
	for _, it := range items {
		c.add(c.item(it))
	}
}

func (c *talk) item(it event.ModelItem) projection.Item {
	p := projection.Item{Item: transcript.Item{Kind: transcript.Kind(it.Kind), Call: it.Call, Origin: c.origin}}
	if it.Text != nil {
		p.Body = it.Text.Inline()
	}
	if it.Call != nil {
		p.Body = it.Call.Arguments.Inline()
	}
	if it.Native != nil {
		p.Native = it.Native.Inline()
	}
	if it.File != nil {
		p.Item.Files, p.Files = []event.File{*it.File}, []string{it.File.Content.Inline()}
	}
	return p
}

// carryOut gives every call of an answer a result.
func (c *talk) carryOut(items []event.ModelItem) {
	for _, it := range items {
		if it.Call != nil {
			c.add(projection.Item{Item: transcript.Item{Kind: transcript.ToolResult, Call: it.Call}, Body: "did " + it.Call.Name})
		}
	}
}

// request is what the model is asked next.
func (c *talk) request(t testing.TB) model.Request {
	t.Helper()
	rules := c.p.Rules()
	rules.Origin = c.origin
	messages, _, err := projection.Project(c.items, rules)
	if err != nil {
		t.Fatal(err)
	}
	return model.Request{
		Model: c.Model, Instructions: "Work on <files> & folders.", Messages: messages, CacheKey: "5f2b0c4e",
		Tools: []model.Tool{
			{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`)},
			{Name: "list", Description: "List the files.", Schema: json.RawMessage(`{"type":"object"}`)},
		},
	}
}

func (c *talk) ask(t testing.TB, ctx context.Context) (model.Answer, string, error) {
	t.Helper()
	return model.Ask(ctx, c.p, c.request(t), nil)
}

// answer asks, and wants an answer, which it keeps.
func (c *talk) answer(t testing.TB) model.Answer {
	t.Helper()
	a, _, err := c.ask(t, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.hear(a.Items)
	c.carryOut(a.Items)
	return a
}

// fault asks, and wants none.
func (c *talk) fault(t testing.TB) (model.Fault, string) {
	t.Helper()
	a, partial, err := c.ask(t, t.Context())
	var f *model.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%s, %v; want a fault", show(a), err)
	}
	return *f, partial
}

// show writes an answer in one line.
func show(a model.Answer) string {
	var b strings.Builder
	for _, it := range a.Items {
		switch {
		case it.Call != nil:
			fmt.Fprintf(&b, "%s=%s(%s) ", it.Call.CallID, it.Call.Name, it.Call.Arguments.Inline())
		case it.Text != nil:
			fmt.Fprintf(&b, "%s:%q ", it.Kind, it.Text.Inline())
		default:
			fmt.Fprintf(&b, "%s ", it.Kind)
		}
	}
	return b.String() + a.Stop
}

func text(s string) providers.Part { return providers.Part{Text: s} }

func call(id, name, arguments string) providers.Part {
	return providers.Part{Call: &providers.Call{ID: id, Name: name, Arguments: arguments}}
}

func parts(p ...providers.Part) providers.Answer { return providers.Answer{Parts: p} }
