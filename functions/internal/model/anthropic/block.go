package anthropic

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// block is one block of an answer while it arrives. What comes in pieces is put into
// builders: there may be millions of them.
type block struct {
	start
	index     int
	raw       json.RawMessage // as it began
	thought   strings.Builder
	signature strings.Builder
	input     strings.Builder
	// texts and others are what was added to the fields of a kind that is not known.
	texts  map[string]*strings.Builder
	others map[string]json.RawMessage
}

// call is a tool call; one without arguments has none in the stream.
func (b *block) call() *model.Call {
	arguments := b.input.String()
	if strings.TrimSpace(arguments) == "" {
		arguments = string(b.Input)
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	return &model.Call{ID: string(b.ID), Name: string(b.Name), Arguments: arguments}
}

func (b *block) signed() string {
	return written(thinkingBlock{"thinking", b.thought.String(), b.signature.String()})
}

// whole is a block of another kind as it was at its end: the input of a tool that the
// server ran comes in pieces, and so may any other of its texts.
func (b *block) whole() (string, error) {
	if b.input.Len() == 0 && len(b.Citations) == 0 && len(b.texts) == 0 && len(b.others) == 0 {
		return string(b.raw), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b.raw, &fields); err != nil {
		return "", err
	}
	maps.Copy(fields, b.others)
	for name, text := range b.texts {
		fields[name] = json.RawMessage(written(first(fields[name]) + text.String()))
	}
	if b.input.Len() > 0 {
		fields["input"] = json.RawMessage(b.input.String())
	}
	if len(b.Citations) > 0 {
		fields["citations"] = json.RawMessage(written(b.Citations))
	}
	var out bytes.Buffer
	err := wire.AppendJSON(&out, fields) // fails where the pieces make no JSON
	return out.String(), err
}

// first is the text that a field began with, if it is one.
func first(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

// extend adds a delta's texts to those of the same name, and takes its other fields
// as they are.
func (b *block) extend(delta json.RawMessage) error {
	var more map[string]json.RawMessage
	if err := json.Unmarshal(delta, &more); err != nil {
		return err
	}
	if b.texts == nil {
		b.texts, b.others = map[string]*strings.Builder{}, map[string]json.RawMessage{}
	}
	delete(more, "type")
	for name, v := range more {
		var s string
		if json.Unmarshal(v, &s) != nil || !strings.HasPrefix(string(v), `"`) {
			b.others[name] = v
			continue
		}
		if b.texts[name] == nil {
			b.texts[name] = &strings.Builder{}
		}
		b.texts[name].WriteString(s)
	}
	return nil
}

// written is v's JSON; v is made of what is JSON.
func written(v any) string {
	var b bytes.Buffer
	if err := wire.AppendJSON(&b, v); err != nil {
		return "{}"
	}
	return b.String()
}
