package chat

import (
	"bytes"
	"encoding/json"

	"windlass/functions/internal/model/wire"
)

// native is what a server gave beside a message's text and is given back. Each
// field has the name that the server used, because servers refuse another's: some
// models want their reasoning again as long as they call tools, some sign it.
type native struct {
	// Text is that of the item, where this stands for a text.
	Text string `json:"text,omitempty"`
	// Thinking is a part of a content that is a list.
	Thinking         string `json:"thinking,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
	// ReasoningDetails are opaque, and whole without the text beside them.
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
}

// readNative tolerates anything: it comes from a log.
func readNative(s string) native {
	var n native
	if json.Unmarshal([]byte(s), &n) != nil {
		return native{}
	}
	return n
}

// into adds to a message. One message may hold several items.
func (n native) into(m *message) {
	if n.ReasoningContent != "" {
		if m.ReasoningContent == nil {
			m.ReasoningContent = new(string)
		}
		*m.ReasoningContent += n.ReasoningContent
	}
	m.Reasoning += n.Reasoning
	m.ReasoningDetails = append(m.ReasoningDetails, n.ReasoningDetails...)
}

// callNative is what a server gave beside a call: a signature, without which the
// model refuses to see its own call again.
type callNative struct {
	ExtraContent           json.RawMessage `json:"extra_content,omitempty"`
	ProviderSpecificFields json.RawMessage `json:"provider_specific_fields,omitempty"`
}

func readCallNative(s string) callNative {
	var n callNative
	if s == "" || json.Unmarshal([]byte(s), &n) != nil {
		return callNative{}
	}
	return n.given()
}

// given leaves out what says nothing.
func (n callNative) given() callNative {
	for _, f := range []*json.RawMessage{&n.ExtraContent, &n.ProviderSpecificFields} {
		if !wire.Given(*f) || string(*f) == "{}" {
			*f = nil
		}
	}
	return n
}

// add takes what a later fragment gives.
func (n *callNative) add(more callNative) {
	more = more.given()
	if more.ExtraContent != nil {
		n.ExtraContent = more.ExtraContent
	}
	if more.ProviderSpecificFields != nil {
		n.ProviderSpecificFields = more.ProviderSpecificFields
	}
}

func (n callNative) size() int { return len(n.ExtraContent) + len(n.ProviderSpecificFields) }

// text is v's JSON; empty if v is.
func text(v any) string {
	var b bytes.Buffer
	if wire.AppendJSON(&b, v) != nil || b.String() == "{}" {
		return ""
	}
	return b.String()
}
