package anthropic

import (
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// grow counts what is kept, before it is.
func (a *answer) grow(n int) error {
	if a.bytes += n; a.bytes > wire.MaxAnswer {
		return wire.ErrTooLarge
	}
	return nil
}

func (a *answer) emit(p model.Part) error {
	if !a.yield(p, nil) {
		return errEnough
	}
	return nil
}

func (a *answer) say(s string) error {
	if s == "" {
		return nil
	}
	if err := a.grow(len(s)); err != nil {
		return err
	}
	a.text.WriteString(s)
	return a.emit(model.Part{Text: s})
}

func (a *answer) think(s string) error {
	if s == "" {
		return nil
	}
	if err := a.grow(len(s)); err != nil {
		return err
	}
	a.text.Reset()
	a.block.thought.WriteString(s)
	return a.emit(model.Part{Reasoning: s})
}

// native ends what was handed on last with a block.
func (a *answer) native(block string) error {
	s := keep(block)
	if err := a.grow(len(s)); err != nil {
		return err
	}
	a.text.Reset()
	return a.emit(model.Part{Native: s})
}

// alone hands on a block that is opaque altogether.
func (a *answer) alone(block string) error {
	if err := a.parted(); err != nil {
		return err
	}
	return a.native(block)
}

// parted ends the text that is open, if any: with its own native form, because that
// alone ends an item. To this model it says the same.
func (a *answer) parted() error {
	if a.text.Len() == 0 {
		return nil
	}
	return a.native(written(textBlock{"text", strings.ReplaceAll(a.text.String(), "\x00", "\uFFFD")}))
}

// cited ends a text with what it is founded on, which the model is to have again.
func (a *answer) cited(b *block) error {
	if a.text.Len() == 0 {
		return nil
	}
	return a.native(written(citedBlock{textBlock{"text", a.text.String()}, b.Citations}))
}

// release makes the call that was held.
func (a *answer) release() error {
	c := a.held
	if a.held = nil; c == nil {
		return nil
	}
	if a.calls++; a.calls > wire.MaxCalls {
		return wire.ErrTooLarge
	}
	a.text.Reset()
	return a.emit(model.Part{Call: c})
}
