package bedrock

import (
	"encoding/json"
	"slices"

	"windlass/functions/internal/projection"
)

type toolUseBlock struct {
	ToolUse toolUse `json:"toolUse"`
}

type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResultBlock struct {
	Result toolResult `json:"toolResult"`
}

type toolResult struct {
	ID      string      `json:"toolUseId"`
	Content []textBlock `json:"content"`
	Status  string      `json:"status,omitempty"`
}

// nothing stands where a text is wanted and there is none.
const nothing = "(nothing)"

// encoder writes messages, one after the other.
type encoder struct {
	buffer
	traits traits
	// images and documents are how many were shown.
	images, documents int
	// blocks are how many the message under way has.
	blocks int
}

func (e *encoder) messages(all []projection.Message) error {
	marks := e.marks(all)
	for i, m := range all {
		if i > 0 {
			e.WriteByte(',')
		}
		e.WriteString(`{"role":"` + string(m.Role) + `","content":[`)
		e.blocks = 0
		if m.Role == projection.User {
			e.user(m.Parts)
		} else {
			e.assistant(m.Parts)
		}
		if slices.Contains(marks, i) {
			e.block(cacheMark)
		}
		e.WriteString("]}")
		if e.Len() > maxRequest {
			return tooLong()
		}
	}
	return nil
}

// marks are the messages that the cache is asked to keep up to: the newest user's,
// and the one before, which is where the last request's mark was.
func (e *encoder) marks(all []projection.Message) (at []int) {
	for i := len(all) - 1; i >= 0 && len(at) < 2 && e.traits.caches; i-- {
		if m := all[i]; m.Role == projection.User && (e.traits.cachesTools || m.Parts[0].Result == nil) {
			at = append(at, i)
		}
	}
	return at
}

// block adds one to the message.
func (e *encoder) block(v any) {
	e.next()
	e.json(v)
}

func (e *encoder) next() {
	if e.blocks++; e.blocks > 1 {
		e.WriteByte(',')
	}
}

func (e *encoder) text(s string) {
	if blank(s) {
		s = nothing
	}
	e.block(textBlock{s})
}

func (e *encoder) user(parts []projection.Part) {
	var shown []string
	for _, p := range parts {
		switch {
		case p.Result != nil:
			e.result(p.Result)
		case p.File != nil:
			shown = e.file(p.File, shown)
		default:
			e.text(p.Text)
		}
	}
	e.caption(shown)
}

// result: models without the status read of a failure in the output.
func (e *encoder) result(r *projection.Result) {
	b := toolResult{ID: r.CallID, Content: []textBlock{{r.Output}}}
	if blank(r.Output) {
		b.Content[0].Text = nothing
	}
	if e.traits.status {
		b.Status = map[bool]string{true: "error", false: "success"}[r.Failed]
	}
	e.block(toolResultBlock{b})
}

// assistant writes an answer. One that is reasoning to its end is refused.
func (e *encoder) assistant(parts []projection.Part) {
	said := false
	for _, p := range parts {
		switch {
		case p.Call != nil:
			e.block(toolUseBlock{toolUse{p.Call.ID, p.Call.Name, raw(keyed(p.Call.Arguments))}})
			said = true
		case p.Native == "":
			e.text(p.Text)
			said = true
		case reasoned(p.Native), worded(p.Native):
			e.next()
			e.WriteString(p.Native)
			said = worded(p.Native)
		}
	}
	if !said {
		e.text(nothing)
	}
}
