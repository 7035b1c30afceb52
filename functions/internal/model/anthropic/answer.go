package anthropic

import (
	"encoding/json"
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// answer hands parts on as they come. Blocks come one after the other: what belongs
// to another block than the one under way is no answer that could be put together.
type answer struct {
	yield func(model.Part, error) bool
	block *block

	// held is the newest call that is whole. The answer may have been cut within it,
	// which is told last; so it is made when another block, or a good end, follows.
	held *model.Call
	// text is of the text that was handed on last and is still open: deltas of another
	// block, or its native form, would be put to it.
	text strings.Builder

	stop  string
	usage usage

	bytes, count, calls int
}

// begin opens a block. Servers may leave out the end of the one before.
func (a *answer) begin(index int, raw json.RawMessage) error {
	if err := a.close(); err != nil {
		return err
	}
	var s start
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &s) != nil {
		return wire.ErrUnreadable
	}
	a.block = &block{index: index, start: s, raw: raw}
	if a.count++; a.count > wire.MaxItems {
		return wire.ErrTooLarge
	}
	if err := a.release(); err != nil {
		return err
	}
	return a.opened()
}

// opened hands on what a block begins with.
func (a *answer) opened() error {
	b := a.block
	switch b.Type {
	case "text":
		if err := a.parted(); err != nil { // else the two would be one
			return err
		}
		return a.say(string(b.Text))
	case "thinking":
		b.signature.WriteString(string(b.Signature))
		if err := a.grow(len(b.Signature)); err != nil {
			return err
		}
		return a.think(string(b.Thinking))
	case "tool_use":
		return a.grow(len(b.ID) + len(b.Name) + len(b.Input))
	}
	return a.grow(len(b.raw))
}

// add takes a delta. A server may leave out where text or thinking begins.
func (a *answer) add(index int, raw json.RawMessage) error {
	var d delta
	if json.Unmarshal(raw, &d) != nil {
		return wire.ErrUnreadable
	}
	if a.block == nil {
		if kind, ok := strings.CutSuffix(d.Type, "_delta"); ok && (kind == "text" || kind == "thinking") {
			if err := a.begin(index, json.RawMessage(`{"type":"`+kind+`"}`)); err != nil {
				return err
			}
		}
	}
	if a.block == nil || a.block.index != index {
		return wire.ErrUnreadable
	}
	return a.put(d, raw)
}

func (a *answer) put(d delta, raw json.RawMessage) error {
	b := a.block
	switch {
	case d.Type == "input_json_delta":
		b.input.WriteString(string(d.Input))
		return a.grow(len(d.Input))
	case d.Type == "citations_delta":
		if wire.Given(d.Citation) {
			b.Citations = append(b.Citations, d.Citation)
		}
		return a.grow(len(d.Citation))
	case b.Type == "text":
		return a.say(string(d.Text))
	case b.Type == "thinking":
		b.signature.WriteString(string(d.Signature))
		if err := a.grow(len(d.Signature)); err != nil {
			return err
		}
		return a.think(string(d.Thinking))
	case b.Type == "tool_use":
		return nil
	}
	if b.extend(raw) != nil {
		return wire.ErrUnreadable
	}
	return a.grow(len(raw))
}

// close ends the block under way.
func (a *answer) close() error {
	b := a.block
	if a.block = nil; b == nil {
		return nil
	}
	switch b.Type {
	case "text":
		if len(b.Citations) == 0 {
			return nil
		}
		return a.cited(b)
	case "thinking":
		// Without a signature no server takes it back.
		if b.signature.Len() == 0 {
			return nil
		}
		if b.thought.Len() == 0 {
			return a.alone(b.signed())
		}
		return a.native(b.signed())
	case "tool_use":
		a.held = b.call()
		return nil
	}
	raw, err := b.whole()
	if err != nil {
		return wire.ErrUnreadable
	}
	return a.alone(raw)
}

// end hands on how the answer ended. Whatever was cut off is not called, though what
// there is of it may be valid.
func (a *answer) end() error {
	cut := false
	stop := model.StopEnd
	switch a.stop {
	case "":
		return wire.ErrBrokeOff
	case "max_tokens", "model_context_window_exceeded":
		stop, cut = model.StopLength, true
	case "refusal":
		stop, cut = model.StopRefusal, true
	case "pause_turn":
		stop = model.StopPause
	}
	if cut {
		a.held = nil
		if b := a.block; b != nil && b.Type != "text" && b.Type != "thinking" {
			a.block = nil
		}
	}
	if err := a.close(); err != nil {
		return err
	}
	if err := a.release(); err != nil {
		return err
	}
	if stop == model.StopEnd && a.calls > 0 {
		stop = model.StopTools
	}
	a.yield(model.Part{Stop: stop, Usage: a.usage.tokens()}, nil)
	return nil
}
