package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// chatMessage is a message of any role.
type chatMessage struct {
	Role       string
	ToolCallID *string `json:"tool_call_id"`
	Content    json.RawMessage
	ToolCalls  *[]chatCall `json:"tool_calls"`

	ReasoningContent *string            `json:"reasoning_content"`
	Reasoning        *string            `json:"reasoning"`
	Details          *[]json.RawMessage `json:"reasoning_details"`
}

type chatCall struct {
	ID, Type string
	Function struct{ Name, Arguments string }
	Extra    json.RawMessage `json:"extra_content"`
}

// chatMessages checks messages, one after the other.
type chatMessages struct {
	used map[string]bool // ids of calls
	open []string        // calls without a result, in their order
	last string          // the role before
}

// checkChatMessages: the roles alternate, as the templates of most models demand, and
// each call has its result right behind its message.
func checkChatMessages(all []json.RawMessage) error {
	c := chatMessages{used: map[string]bool{}}
	for i, raw := range all {
		var m chatMessage
		err := strictly(raw, &m)
		if err == nil {
			err = c.message(m, i)
		}
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		c.last = m.Role
	}
	if c.last == "" || c.last == "system" {
		return errors.New("there is nothing to answer")
	}
	return c.answered()
}

func (c *chatMessages) answered() error {
	if len(c.open) > 0 {
		return fmt.Errorf("%d calls are not followed by their results", len(c.open))
	}
	return nil
}

func (c *chatMessages) message(m chatMessage, place int) error {
	if m.Role != "tool" {
		if err := c.answered(); err != nil {
			return err
		}
	}
	if m.Role != "assistant" && (m.ToolCalls != nil || m.ReasoningContent != nil || m.Reasoning != nil || m.Details != nil) || m.Role != "tool" && m.ToolCallID != nil {
		return fmt.Errorf("a field is not of the role %q", m.Role)
	}
	switch m.Role {
	case "system":
		if place > 0 {
			return errors.New("a system message is not the first")
		}
		return chatText(m.Content)
	case "user":
		if c.last == "user" {
			return errors.New("a user follows a user")
		}
		return chatContent(m.Content, chatUserPart)
	case "assistant":
		return c.assistant(m)
	case "tool":
		return c.tool(m)
	}
	return fmt.Errorf("the role %q is not known", m.Role)
}

func (c *chatMessages) tool(m chatMessage) error {
	if m.ToolCallID == nil || len(c.open) == 0 || *m.ToolCallID != c.open[0] {
		return errors.New("a tool's message is not the next call's")
	}
	c.open = c.open[1:]
	return chatText(m.Content)
}

func (c *chatMessages) assistant(m chatMessage) error {
	if c.last != "user" && c.last != "tool" {
		return fmt.Errorf("an assistant follows %q", c.last)
	}
	if m.Details != nil {
		if err := chatDetails(*m.Details); err != nil {
			return err
		}
	}
	if m.ToolCalls == nil {
		return chatContent(m.Content, chatAssistantPart)
	}
	if len(*m.ToolCalls) == 0 {
		return errors.New("tool_calls are empty")
	}
	for _, call := range *m.ToolCalls {
		if err := c.call(call); err != nil {
			return err
		}
	}
	if string(m.Content) == "null" {
		return nil
	}
	return chatContent(m.Content, chatAssistantPart)
}

var chatCallID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

func (c *chatMessages) call(call chatCall) error {
	var arguments map[string]any
	switch err := json.Unmarshal([]byte(call.Function.Arguments), &arguments); {
	case call.Type != "function" || !chatName.MatchString(call.Function.Name):
		return fmt.Errorf("the call's type is %q, its name %q", call.Type, call.Function.Name)
	case !chatCallID.MatchString(call.ID) || c.used[call.ID]:
		return fmt.Errorf("the call's id %q is used twice, or is none", call.ID)
	case err != nil || arguments == nil:
		return fmt.Errorf("the arguments are no object: %.40q", call.Function.Arguments)
	}
	c.used[call.ID] = true
	c.open = append(c.open, call.ID)
	return nil
}

// chatDetails: a proof is of the whole text, so an entry that came in fragments must be
// given back in one.
func chatDetails(all []json.RawMessage) error {
	text := ""
	for _, raw := range all {
		var d struct {
			Type            string
			Index           *int
			Text, Signature *string
			Data, ID        *string
			Format          string
		}
		if err := strictly(raw, &d); err != nil {
			return err
		}
		proven := d.Signature != nil && *d.Signature != ""
		switch {
		case d.Type == "reasoning.encrypted" && d.Data != nil && *d.Data != "":
		case d.Type == "reasoning.text" && d.Text != nil && *d.Text != "" && proven:
			text = *d.Text
		default:
			return fmt.Errorf("an entry of type %q behind %.40q is a fragment", d.Type, text)
		}
	}
	if len(all) == 0 {
		return errors.New("reasoning_details are empty")
	}
	return nil
}

func chatText(raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || s == "" {
		return errors.New("the content is no text, or an empty one")
	}
	return nil
}

// chatPart is one of a content that is a list.
type chatPart struct {
	Type     string
	Text     *string
	ImageURL *struct{ URL string } `json:"image_url"`
	File     *struct {
		Filename string
		FileData string `json:"file_data"`
	}
	Thinking *[]struct{ Type, Text string }
}

// chatContent is a text, or parts that the role may have.
func chatContent(raw json.RawMessage, allowed func(chatPart) error) error {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return chatText(raw)
	}
	if len(parts) == 0 {
		return errors.New("the content is empty")
	}
	for _, raw := range parts {
		var p chatPart
		if err := strictly(raw, &p); err != nil {
			return err
		}
		if p.Type == "text" && p.Text != nil && *p.Text != "" {
			continue
		}
		if err := allowed(p); err != nil {
			return err
		}
	}
	return nil
}

func chatUserPart(p chatPart) error {
	switch {
	case p.Type == "image_url" && p.ImageURL != nil:
		return dataURL(p.ImageURL.URL, "image/png", "image/jpeg", "image/gif", "image/webp")
	case p.Type == "file" && p.File != nil && p.File.Filename != "":
		return dataURL(p.File.FileData, "application/pdf")
	}
	return fmt.Errorf("a user's part of type %q", p.Type)
}

func chatAssistantPart(p chatPart) error {
	if p.Type != "thinking" || p.Thinking == nil || !slices.ContainsFunc(*p.Thinking, func(t struct{ Type, Text string }) bool { return t.Type == "text" && t.Text != "" }) {
		return fmt.Errorf("an assistant's part of type %q", p.Type)
	}
	return nil
}
