package openai

import (
	"encoding/base64"
	"fmt"

	"windlass/functions/internal/projection"
)

type message struct {
	Type string `json:"type"`
	Role string `json:"role"`
	// Content is a text, or a list of a user's parts.
	Content any `json:"content"`
}

type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionCallOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

type inputText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type inputImage struct {
	Type     string `json:"type"`
	Detail   string `json:"detail"`
	ImageURL string `json:"image_url"`
}

type inputFile struct {
	Type     string `json:"type"`
	Filename string `json:"filename"`
	FileData string `json:"file_data"`
}

const pdf = "application/pdf"

var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

func (in *input) messages(all []projection.Message) error {
	for _, m := range all {
		write := in.user
		if m.Role == projection.Assistant {
			write = in.assistant
		}
		if err := write(m.Parts); err != nil {
			return err
		}
	}
	return nil
}

// user writes results as items of their own, then all that is said as one: the
// templates of some open models want the roles to alternate.
func (in *input) user(parts []projection.Part) error {
	var said []any
	for _, p := range parts {
		if r := p.Result; r != nil {
			if err := in.item(functionCallOutput{"function_call_output", r.CallID, r.Output}); err != nil {
				return err
			}
		} else {
			said = append(said, content(p))
		}
	}
	switch len(said) {
	case 0:
		return nil
	case 1:
		if t, ok := said[0].(inputText); ok {
			return in.item(message{"message", "user", t.Text})
		}
	}
	return in.item(message{"message", "user", said})
}

func content(p projection.Part) any {
	if p.File == nil {
		return inputText{"input_text", p.Text}
	}
	data := fmt.Sprintf("data:%s;base64,%s", p.File.Type, base64.StdEncoding.EncodeToString([]byte(p.File.Data)))
	if p.File.Type == pdf {
		return inputFile{"input_file", p.File.Name, data}
	}
	return inputImage{"input_image", "auto", data}
}

// assistant writes what the model said. Reasoning at the end, which an answer that
// was cut off leaves, is left out: the API refuses it without what it led to.
func (in *input) assistant(parts []projection.Part) error {
	for _, p := range parts {
		if err := in.assistantPart(p); err != nil {
			return err
		}
	}
	in.led = nil
	return nil
}

func (in *input) assistantPart(p projection.Part) error {
	switch {
	case p.Native != "":
		n, ok := readNative(p.Native)
		if !ok {
			return nil
		}
		if n.Type == "reasoning" {
			in.led = append(in.led, n)
			return nil
		}
		return in.said(n)
	case p.Call != nil:
		return in.said(functionCall{"function_call", p.Call.ID, p.Call.Name, p.Call.Arguments})
	case p.Text != "":
		return in.said(message{"message", "assistant", p.Text})
	}
	return nil
}

// said writes an item behind the reasoning that led to it.
func (in *input) said(v any) error {
	for _, n := range in.led {
		if err := in.item(n); err != nil {
			return err
		}
	}
	in.led = nil
	return in.item(v)
}
