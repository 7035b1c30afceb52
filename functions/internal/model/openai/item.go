package openai

import (
	"encoding/base64"
	"strings"

	"windlass/functions/internal/model"
)

// item is one item of the output while it arrives.
type item struct {
	place int
	kind  string
	done  bool
	// held waits for the items before.
	held []*held
	// spoke: texts came in pieces, so the whole one is not read again. said is their size.
	spoke bool
	said  int
	phase string
	// source and part say what reasoning is made of; see [answer.think].
	source string
	part   int
	opaque *native
	file   *model.File

	callID, name string
	arguments    strings.Builder
}

// Where reasoning comes from.
const (
	summary = "summary"
	thought = "thought"
)

// held is text or reasoning under way, or else a part or what ends one.
type held struct {
	text      strings.Builder
	reasoning bool
	whole     *model.Part
	opaque    *native
	phase     string
}

// delta: more may be added to it.
func (h *held) delta() bool { return h.whole == nil && h.opaque == nil && h.phase == "" }

func (h *held) release(o *out) {
	switch {
	case h.whole != nil:
		o.part(*h.whole)
	case h.opaque != nil:
		o.opaque(*h.opaque)
	case h.phase != "":
		o.message(h.phase)
	case h.reasoning:
		o.part(model.Part{Reasoning: h.text.String()})
	default:
		o.part(model.Part{Text: h.text.String()})
	}
}

// call is what a complete item asks for. Without arguments it is a call with none:
// servers write it in both ways.
func (it *item) call() *model.Part {
	arguments := it.arguments.String()
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	return &model.Part{Call: &model.Call{ID: it.callID, Name: it.name, Arguments: arguments}}
}

// picture is a file that the model made; nil if it cannot be read.
func picture(o outputItem) *model.File {
	data, err := base64.StdEncoding.DecodeString(string(o.Result))
	if err != nil || len(data) == 0 {
		return nil
	}
	kind := "image/png"
	switch o.Format {
	case "jpeg", "webp", "gif":
		kind = "image/" + string(o.Format)
	case "svg":
		kind = "image/svg+xml"
	}
	return &model.File{Type: kind, Data: string(data)}
}
