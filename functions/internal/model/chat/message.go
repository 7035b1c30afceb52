package chat

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

type message struct {
	Role string `json:"role"`
	// ToolCallID is in a tool's message alone.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Content is a text, parts, or nothing beside calls.
	Content any `json:"content"`
	// What follows is in an assistant's message alone.
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []toolCall        `json:"tool_calls,omitempty"`
}

// part is one of a message's content.
type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
	File     *file     `json:"file,omitempty"`
	Thinking []part    `json:"thinking,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type file struct {
	Filename string `json:"filename"`
	FileData string `json:"file_data"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function called `json:"function"`
	callNative
}

type called struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Between texts that become one, and where one is wanted and there is none.
const (
	paragraph = "\n\n"
	nothing   = "(empty)"
	// noted is the assistant's word between a tool and the user.
	noted = "Noted."
)

func (w *writer) messages(r model.Request) error {
	if r.Instructions != "" {
		if err := w.message(message{Role: "system", Content: wire.Clean(r.Instructions)}); err != nil {
			return err
		}
	}
	for _, m := range r.Messages {
		var err error
		if m.Role == projection.Assistant {
			err = w.message(w.assistant(m.Parts))
		} else {
			err = w.user(m.Parts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) message(m message) error {
	if w.bridge && w.last == "tool" && m.Role == "user" {
		if err := w.message(message{Role: "assistant", Content: noted}); err != nil {
			return err
		}
	}
	if w.last != "" {
		w.out.WriteByte(',')
	}
	w.last = m.Role
	return w.write(m)
}

// user writes a message for each result, and one for what the user says.
func (w *writer) user(parts []projection.Part) error {
	var said []part
	for _, p := range parts {
		switch {
		case p.Result != nil:
			if err := w.message(message{Role: "tool", ToolCallID: p.Result.CallID, Content: p.Result.Output}); err != nil {
				return err
			}
		case p.File != nil:
			said = append(said, shown(p.File))
		case p.Text != "":
			said = append(said, part{Type: "text", Text: p.Text})
		}
	}
	if said == nil {
		return nil
	}
	return w.message(message{Role: "user", Content: inOne(said)})
}

// inOne is one text where it can be: not every server reads parts.
func inOne(said []part) any {
	var texts []string
	for _, p := range said {
		if p.Type != "text" {
			return said
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, paragraph)
}

func shown(f *projection.File) part {
	url := "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString([]byte(f.Data))
	if images[f.Type] {
		return part{Type: "image_url", ImageURL: &imageURL{url}}
	}
	return part{Type: "file", File: &file{path.Base(f.Name), url}}
}

// assistant is all that the model said in a row, in one message.
func (w *writer) assistant(parts []projection.Part) message {
	m := message{Role: "assistant"}
	var texts []string
	var thinking string
	for _, p := range parts {
		switch {
		case p.Call != nil:
			m.ToolCalls = append(m.ToolCalls, toolCall{p.Call.ID, "function", called{p.Call.Name, p.Call.Arguments}, readCallNative(p.Call.Native)})
		case p.Native != "":
			n := readNative(p.Native)
			if n.Text != "" {
				texts = append(texts, n.Text)
			}
			thinking += n.Thinking
			n.into(&m)
		case p.Text != "":
			texts = append(texts, p.Text)
		}
	}
	if w.thoughts && m.ToolCalls != nil && m.ReasoningContent == nil {
		m.ReasoningContent = new(string)
	}
	m.Content = spoken(thinking, strings.Join(texts, paragraph), m.ToolCalls != nil)
	return m
}

// spoken is an assistant's content.
func spoken(thinking, text string, calls bool) any {
	switch {
	case thinking != "":
		said := []part{{Type: "thinking", Thinking: []part{{Type: "text", Text: thinking}}}}
		if text != "" {
			said = append(said, part{Type: "text", Text: text})
		}
		return said
	case text != "":
		return text
	case calls:
		return nil
	}
	return nothing
}
