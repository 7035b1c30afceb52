package bedrock

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// answer puts the blocks of an answer together. Text and reasoning are handed on as
// they come, a call and a file when they are whole. Of a block's beginning only
// those of calls and files are told.
type answer struct {
	open map[int32]*block
	// now is the block that something came for last.
	now *block
	// held is the newest whole call: until something else comes, it may be what the
	// answer's end cut off. A cut block is ended like any other.
	held *model.Call
	// text is what was said since anything else came.
	text  strings.Builder
	ready []model.Part

	bytes, count, calls int
}

// block is one block while it arrives.
type block struct {
	place int32
	kind  kind
	// text is reasoning's, or a call's arguments, or a file's data.
	text      strings.Builder
	signature strings.Builder
	sealed    []byte
	id, name  string // of a call; a file's type
}

type kind int

const (
	plain kind = iota
	reasoning
	call
	file
	foreign // what the provider did itself
)

func (a *answer) tooLarge() bool {
	return a.bytes > wire.MaxAnswer || a.calls > wire.MaxCalls || a.count > wire.MaxItems
}

// take gives the parts that may be handed on, once.
func (a *answer) take() []model.Part {
	p := a.ready
	a.ready = nil
	return p
}

// at is the block under way at a place. What comes for another block ends reasoning,
// and shows that the call before it is whole.
func (a *answer) at(place int32) *block {
	b := a.open[place]
	if b == nil {
		if a.open == nil {
			a.open = map[int32]*block{}
		}
		b = &block{place: place}
		a.open[place] = b
		a.count++
	}
	if a.now != nil && a.now != b && a.now.kind == reasoning {
		a.end(a.now)
	}
	a.now = b
	a.release()
	return b
}

func (a *answer) start(place int32, start types.ContentBlockStart) {
	a.stop(place) // a server that gives all blocks one place
	b := a.at(place)
	switch s := start.(type) {
	case *types.ContentBlockStartMemberToolUse:
		if b.kind = call; s.Value.Type == types.ToolUseTypeServerToolUse {
			b.kind = foreign
		}
		b.id, b.name = text(s.Value.ToolUseId), text(s.Value.Name)
		a.bytes += len(b.id) + len(b.name)
	case *types.ContentBlockStartMemberImage:
		b.kind, b.name = file, "image/"+string(s.Value.Format)
	case *types.ContentBlockStartMemberToolResult:
		b.kind = foreign
	}
}

func (a *answer) delta(place int32, delta types.ContentBlockDelta) error {
	b := a.at(place)
	switch d := delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		a.say(d.Value)
	case *types.ContentBlockDeltaMemberReasoningContent:
		a.think(b, d.Value)
	case *types.ContentBlockDeltaMemberToolUse:
		if b.kind == plain {
			return wire.ErrUnreadable // nobody said whose arguments these are
		}
		a.add(&b.text, text(d.Value.Input))
	case *types.ContentBlockDeltaMemberImage:
		if s, ok := d.Value.Source.(*types.ImageSourceMemberBytes); ok {
			a.add(&b.text, string(s.Value))
		}
	}
	return nil
}

func (a *answer) add(to *strings.Builder, s string) {
	a.bytes += len(s)
	to.WriteString(s)
}

func (a *answer) say(s string) {
	if s == "" {
		return
	}
	a.add(&a.text, s)
	a.ready = append(a.ready, model.Part{Text: s})
}

func (a *answer) think(b *block, delta types.ReasoningContentBlockDelta) {
	b.kind = reasoning
	switch d := delta.(type) {
	case *types.ReasoningContentBlockDeltaMemberText:
		if d.Value == "" {
			return
		}
		a.add(&b.text, d.Value)
		a.text.Reset()
		a.ready = append(a.ready, model.Part{Reasoning: d.Value})
	case *types.ReasoningContentBlockDeltaMemberSignature:
		a.add(&b.signature, d.Value)
	case *types.ReasoningContentBlockDeltaMemberRedactedContent:
		a.bytes += len(d.Value)
		b.sealed = append(b.sealed, d.Value...)
	}
}

func (a *answer) stop(place int32) {
	if b := a.open[place]; b != nil {
		a.end(b)
	}
}

// end completes a block. Reasoning without a proof is not taken back, so it is
// shown and no more.
func (a *answer) end(b *block) {
	if delete(a.open, b.place); a.now == b {
		a.now = nil
	}
	switch b.kind {
	case reasoning:
		a.prove(b)
	case call:
		a.release()
		a.held = &model.Call{ID: b.id, Name: b.name, Arguments: b.text.String()}
		if strings.TrimSpace(a.held.Arguments) == "" { // a call without arguments
			a.held.Arguments = "{}"
		}
		a.calls++
	case file:
		if b.text.Len() > 0 {
			a.put(model.Part{File: &model.File{Type: b.name, Data: b.text.String()}})
		}
	}
}

func (a *answer) prove(b *block) {
	switch {
	case len(b.sealed) > 0:
		a.opaque(written(reasoningBlock{reasoningContent{Redacted: base64.StdEncoding.EncodeToString(b.sealed)}}))
	case b.signature.Len() > 0:
		a.opaque(written(reasoningBlock{reasoningContent{Text: &reasoningText{b.text.String(), b.signature.String()}}}))
	}
}

// opaque ends the item before it. If that is a text it would be taken for the text's
// own, so the text gets its own first.
func (a *answer) opaque(s string) {
	if said := a.text.String(); !blank(said) {
		a.put(model.Part{Native: written(textBlock{said})})
	}
	a.put(model.Part{Native: s})
}

func (a *answer) put(p model.Part) {
	a.bytes += len(p.Native)
	a.text.Reset()
	a.ready = append(a.ready, p)
}

func (a *answer) release() {
	if a.held != nil {
		a.put(model.Part{Call: a.held})
		a.held = nil
	}
}

// finish completes what the answer's end finds open. A call that was cut off is
// never made, though what there is of it may be valid.
func (a *answer) finish(cut bool) {
	for _, place := range slices.Sorted(maps.Keys(a.open)) {
		if b := a.open[place]; !cut || b.kind == reasoning {
			a.end(b)
		}
	}
	if cut && a.held != nil {
		a.held = nil
		a.calls--
	}
	a.release()
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
