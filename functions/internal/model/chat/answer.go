package chat

import (
	"encoding/base64"
	"mime"
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// answer puts the pieces of a message in order. Text and reasoning are handed on at
// once, calls at the end: only then is it known that the last one is whole.
type answer struct {
	ready []model.Part
	// open is the kind of the item that grows, spoken its text.
	open   string
	spoken strings.Builder
	// source is the field that reasoning is read from; thought and details are what is not
	// yet given back as native.
	source  string
	thought strings.Builder
	details details
	calls   calls

	said, reasoned, drew, refused bool
	bytes, items                  int
}

// Kinds of items that grow.
const (
	speech    = "text"
	reasoning = "reasoning"
)

// Fields that reasoning comes in.
const (
	inContent   = "thinking"
	inField     = "reasoning_content"
	inReasoning = "reasoning"
	inDetails   = "reasoning_details"
)

func (a *answer) tooLarge() bool {
	return a.bytes+a.calls.bytes+a.details.bytes > wire.MaxAnswer || len(a.calls.all) > wire.MaxCalls || a.items+a.details.made > wire.MaxItems
}

// take gives the parts that may be handed on, once.
func (a *answer) take() []model.Part {
	p := a.ready
	a.ready = nil
	return p
}

// add takes a piece of the message, or the whole of it.
func (a *answer) add(m said, whole bool) {
	a.think(inField, string(m.ReasoningContent))
	a.think(inReasoning, string(m.Reasoning))
	for _, d := range m.ReasoningDetails {
		a.think(inDetails, a.details.add(d, whole))
	}
	a.say(m.Content.text)
	for _, p := range m.Content.pieces {
		a.piece(p)
	}
	a.refuse(string(m.Refusal))
	for i, f := range m.ToolCalls {
		a.calls.add(f, i)
	}
	if f := m.FunctionCall; f != nil && *f != (fragmentOf{}) {
		index := wire.Count(legacy)
		a.calls.add(fragment{Index: &index, Function: *f}, 0)
	}
	for _, p := range m.Images {
		a.piece(p)
	}
}

// complete takes what only the whole message has: some servers repeat all of it at
// the end, and some stream nothing.
func (a *answer) complete(m *said) {
	if m == nil {
		return
	}
	rest := *m
	if a.said {
		rest.Content, rest.Refusal = content{}, ""
	}
	if a.said || a.reasoned {
		rest.ReasoningContent, rest.Reasoning, rest.ReasoningDetails = "", "", nil
	}
	if len(a.calls.all) > 0 {
		rest.ToolCalls, rest.FunctionCall = nil, nil
	}
	if a.drew {
		rest.Images = nil
	}
	a.add(rest, true)
}

func (a *answer) piece(p piece) {
	a.think(inContent, p.Thinking.all())
	if p.Type != "thinking" && p.Type != "reasoning" {
		a.say(string(p.Text))
	}
	a.refuse(string(p.Refusal))
	a.draw(string(p.ImageURL))
}

func (a *answer) say(s string) {
	if s == "" {
		return
	}
	a.begin(speech)
	a.said = true
	a.bytes += len(s)
	a.spoken.WriteString(s)
	a.ready = append(a.ready, model.Part{Text: s})
}

func (a *answer) refuse(s string) {
	a.refused = a.refused || s != ""
	a.say(s)
}

// think adds reasoning. Where a server sends it in several fields, the first that
// comes is read.
func (a *answer) think(source, s string) {
	if s == "" || a.source != "" && a.source != source {
		return
	}
	a.begin(reasoning)
	a.source, a.reasoned = source, true
	a.bytes += len(s)
	a.thought.WriteString(s)
	a.ready = append(a.ready, model.Part{Reasoning: s})
}

// draw takes an image. One that stands elsewhere is not fetched.
func (a *answer) draw(url string) {
	head, data, ok := strings.Cut(url, ",")
	kind, encoded := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	if !ok || !encoded || !strings.HasPrefix(head, "data:") {
		return
	}
	b, err := base64.StdEncoding.DecodeString(data)
	if kind, _, bad := mime.ParseMediaType(kind); err == nil && bad == nil {
		a.begin("")
		a.drew = true
		a.bytes += len(b)
		a.ready = append(a.ready, model.Part{File: &model.File{Type: kind, Data: string(b)}})
	}
}

// begin opens an item of a kind. An empty kind is one that is whole at once.
func (a *answer) begin(kind string) {
	if kind != "" && a.open == kind {
		return
	}
	if a.open != speech && kind != reasoning {
		a.keep()
	}
	a.open = kind
	a.items++
	a.spoken.Reset()
}

// keep yields what belongs to reasoning beside. It ends the item under way, and
// stands for the whole of it; so at the end of an answer it may stand for a text.
func (a *answer) keep() {
	n := native{ReasoningDetails: a.details.take()}
	thought := wire.Clean(a.thought.String())
	a.thought.Reset()
	switch {
	case n.ReasoningDetails != nil: // they hold the text too
	case a.source == inField:
		n.ReasoningContent = thought
	case a.source == inReasoning:
		n.Reasoning = thought
	case a.source == inContent:
		n.Thinking = thought
	}
	s := text(n)
	if s == "" {
		return
	}
	if a.open == speech {
		n.Text = wire.Clean(a.spoken.String())
		s = text(n)
	}
	a.bytes += len(s)
	a.ready = append(a.ready, model.Part{Native: s})
	a.open = ""
}

// finish hands on what is left. What came for reasoning behind a text goes behind
// the calls, where it ends no item.
func (a *answer) finish(cut bool) (called bool) {
	if a.open == reasoning {
		a.keep()
	}
	parts := a.calls.take(cut)
	if len(parts) > 0 {
		a.ready = append(a.ready, parts...)
		a.open = ""
	}
	a.keep()
	return len(parts) > 0
}
