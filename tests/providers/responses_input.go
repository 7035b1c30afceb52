package providers

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// responsesInput checks items, one after the other.
type responsesInput struct {
	used, open map[string]bool // ids of calls
	before     string          // the type of the item before
}

// checkResponsesInput: the calls of an answer have one result each, right behind the
// answer; reasoning has the item behind it that it led to.
func checkResponsesInput(items []json.RawMessage) error {
	if len(items) == 0 {
		return errors.New("the input is empty")
	}
	c := responsesInput{used: map[string]bool{}, open: map[string]bool{}}
	for i, raw := range items {
		if err := c.item(raw); err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	return errors.Join(c.followed("", ""), c.answered())
}

// followed: reasoning has an item of the model behind it.
func (c *responsesInput) followed(kind, role string) error {
	if c.before == "reasoning" && (kind == "" || role == "user" || kind == "function_call_output") {
		return errors.New("reasoning was given without the item that follows it")
	}
	return nil
}

func (c *responsesInput) answered() error {
	if len(c.open) > 0 {
		return fmt.Errorf("no output is there for %d calls", len(c.open))
	}
	return nil
}

func (c *responsesInput) item(raw json.RawMessage) error {
	var kind struct{ Type, Role string }
	if err := json.Unmarshal(raw, &kind); err != nil {
		return err
	}
	if err := c.followed(kind.Type, kind.Role); err != nil {
		return err
	}
	if kind.Role == "user" || c.before == "function_call_output" && kind.Type != c.before {
		if err := c.answered(); err != nil {
			return err
		}
	}
	c.before = kind.Type
	switch kind.Type {
	case "message":
		return checkResponsesMessage(raw)
	case "reasoning":
		return checkResponsesReasoning(raw)
	case "function_call":
		return c.call(raw)
	case "function_call_output":
		return c.output(raw)
	}
	return fmt.Errorf("the type %q is not known", kind.Type)
}

// callID: compatible servers take more than letters and digits, none more than 64.
var responsesCallID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

func (c *responsesInput) call(raw json.RawMessage) error {
	var f struct {
		Type, Name, Arguments string
		CallID                string `json:"call_id"`
	}
	if err := strictly(raw, &f); err != nil {
		return err
	}
	var arguments map[string]any
	switch err := json.Unmarshal([]byte(f.Arguments), &arguments); {
	case !responsesCallID.MatchString(f.CallID) || c.used[f.CallID]:
		return fmt.Errorf("the call's id %q is used twice, or is none", f.CallID)
	case !responsesName.MatchString(f.Name):
		return fmt.Errorf("the call's name is %q", f.Name)
	case err != nil || arguments == nil:
		return fmt.Errorf("the arguments are no object: %.40q", f.Arguments)
	}
	c.used[f.CallID], c.open[f.CallID] = true, true
	return nil
}

func (c *responsesInput) output(raw json.RawMessage) error {
	var o struct {
		Type, Output string
		CallID       string `json:"call_id"`
	}
	if err := strictly(raw, &o); err != nil {
		return err
	}
	if !c.open[o.CallID] || o.Output == "" {
		return fmt.Errorf("no call waits for an output with the id %q, or the output is empty", o.CallID)
	}
	delete(c.open, o.CallID)
	return nil
}

// checkResponsesReasoning: with nothing stored, an id names nothing, and the raw
// text is refused.
func checkResponsesReasoning(raw json.RawMessage) error {
	var r struct {
		Type    string
		Summary *[]struct{ Type, Text string }
		Opaque  string `json:"encrypted_content"`
	}
	if err := strictly(raw, &r); err != nil {
		return err
	}
	if r.Summary == nil || r.Opaque == "" {
		return errors.New("reasoning without a summary, or without its encrypted content")
	}
	for _, s := range *r.Summary {
		if s.Type != "summary_text" {
			return fmt.Errorf("a summary of type %q", s.Type)
		}
	}
	return nil
}

func checkResponsesMessage(raw json.RawMessage) error {
	var m struct {
		Type, Role string
		Phase      *string
		Content    json.RawMessage
	}
	if err := strictly(raw, &m); err != nil {
		return err
	}
	switch {
	case m.Role != "user" && m.Role != "assistant":
		return fmt.Errorf("a message of role %q", m.Role)
	case m.Phase != nil && (m.Role != "assistant" || !slices.Contains([]string{"commentary", "final_answer"}, *m.Phase)):
		return fmt.Errorf("phase %q in a message of role %q", *m.Phase, m.Role)
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		if text == "" {
			return errors.New("a message is empty")
		}
		return nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(m.Content, &parts); err != nil || len(parts) == 0 || m.Role != "user" {
		return errors.New("a message's content is no text, and no parts of a user's")
	}
	for _, p := range parts {
		if err := checkResponsesPart(p); err != nil {
			return err
		}
	}
	return nil
}

func checkResponsesPart(raw json.RawMessage) error {
	var p struct {
		Type, Text, Detail, Filename string
		ImageURL                     string `json:"image_url"`
		FileData                     string `json:"file_data"`
	}
	if err := strictly(raw, &p); err != nil {
		return err
	}
	switch p.Type {
	case "input_text":
		if p.Text == "" {
			return errors.New("a text is empty")
		}
		return nil
	case "input_image":
		if !slices.Contains([]string{"low", "high", "auto"}, p.Detail) {
			return fmt.Errorf("an image's detail is %q", p.Detail)
		}
		return dataURL(p.ImageURL, "image/png", "image/jpeg", "image/gif", "image/webp")
	case "input_file":
		if p.Filename == "" {
			return errors.New("a file has no name")
		}
		return dataURL(p.FileData, "application/pdf")
	}
	return fmt.Errorf("the content type %q is not known", p.Type)
}

// dataURL checks that a URL holds something of one of the types.
func dataURL(s string, types ...string) error {
	head, data, _ := strings.Cut(s, ",")
	kind := strings.TrimSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	if head != "data:"+kind+";base64" || !slices.Contains(types, kind) {
		return fmt.Errorf("%.60q is no data URL of a type that is taken", s)
	}
	if b, err := base64.StdEncoding.DecodeString(data); err != nil || len(b) == 0 {
		return fmt.Errorf("the data of a %s cannot be read, or is empty", kind)
	}
	return nil
}
