package openai

import (
	"bytes"
	"encoding/json"

	"windlass/functions/internal/model/wire"
)

// native is an item in the form in which it is given back: encrypted reasoning, or
// a message with its phase.
type native struct {
	Type string
	// Role, Content and Phase are of a message.
	Role, Content, Phase wire.Text
	// Summary and Encrypted are of reasoning.
	Summary   []summaryText
	Encrypted wire.Text `json:"encrypted_content"`
}

type summaryText struct {
	Type string    `json:"type"`
	Text wire.Text `json:"text"`
}

// MarshalJSON writes the fields of its kind, always in the same order.
func (n native) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	var err error
	if n.Type == "reasoning" {
		err = wire.AppendJSON(&b, struct {
			Type      string        `json:"type"`
			Summary   []summaryText `json:"summary"`
			Encrypted wire.Text     `json:"encrypted_content"`
		}{n.Type, n.Summary, n.Encrypted})
	} else {
		err = wire.AppendJSON(&b, struct {
			Type    string    `json:"type"`
			Role    string    `json:"role"`
			Content wire.Text `json:"content"`
			Phase   wire.Text `json:"phase,omitempty"`
		}{n.Type, "assistant", n.Content, n.Phase})
	}
	return b.Bytes(), err
}

// text is what the log keeps.
func (n native) text() string {
	var b bytes.Buffer
	if wire.AppendJSON(&b, n) != nil {
		return "" // strings are always JSON
	}
	return b.String()
}

// size is what it weighs, in bytes.
func (n native) size() int {
	size := len(n.Encrypted) + len(n.Content)
	for _, s := range n.Summary {
		size += len(s.Text)
	}
	return size
}

// reasoned is an item of reasoning, if it can be given back.
func reasoned(o outputItem) (native, bool) {
	n := native{Type: "reasoning", Summary: []summaryText{}, Encrypted: o.Encrypted}
	for _, s := range o.Summary {
		n.Summary = append(n.Summary, summaryText{"summary_text", wire.Text(wire.Clean(string(s.Text)))})
	}
	return n, o.Encrypted != ""
}

// phased is a message with the phase that the model gave it. Some models answer
// worse where it is lost.
func phased(text, phase string) native {
	return native{Type: "message", Content: wire.Text(wire.Clean(text)), Phase: wire.Text(phase)}
}

// readNative reads what the log kept; it may be anything.
func readNative(s string) (native, bool) {
	n := native{}
	if json.Unmarshal([]byte(s), &n) != nil {
		return native{}, false
	}
	switch n.Type {
	case "reasoning":
		if n.Summary == nil {
			n.Summary = []summaryText{}
		}
		for i := range n.Summary {
			n.Summary[i].Type = "summary_text"
		}
		return n, n.Encrypted != ""
	case "message":
		return n, n.Content != "" && (n.Role == "assistant" || n.Role == "")
	}
	return native{}, false
}
