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

type messagesText struct {
	Type, Text string
	Citations  []json.RawMessage
	Cache      *messagesCache `json:"cache_control"`
}

type messagesToolUse struct {
	Type, ID, Name string
	Input          map[string]any
	Cache          *messagesCache `json:"cache_control"`
}

type messagesToolResult struct {
	Type, Content string
	ID            string         `json:"tool_use_id"`
	Failed        bool           `json:"is_error"`
	Cache         *messagesCache `json:"cache_control"`
}

type messagesFile struct {
	Type, Title string
	Source      struct {
		Type, Data string
		Media      string `json:"media_type"`
	}
	Cache *messagesCache `json:"cache_control"`
}

type messagesSigned struct{ Type, Thinking, Signature, Data string }

func (c *messagesInput) block(role string, raw json.RawMessage) error {
	var kind struct{ Type string }
	if err := json.Unmarshal(raw, &kind); err != nil {
		return err
	}
	c.types = append(c.types, kind.Type)
	switch user := role == "user"; {
	case kind.Type == "text":
		return checkMessagesText(raw)
	case user && kind.Type == "tool_result":
		return c.result(raw)
	case user && (kind.Type == "image" || kind.Type == "document"):
		return checkMessagesFile(raw)
	case !user && kind.Type == "tool_use":
		return c.call(raw)
	case !user && (kind.Type == "thinking" || kind.Type == "redacted_thinking"):
		return checkMessagesSigned(raw)
	case !user && (kind.Type == "server_tool_use" || strings.HasSuffix(kind.Type, "_tool_result")):
		return nil
	}
	return fmt.Errorf("a block of type %q in a message of role %q", kind.Type, role)
}

func checkMessagesText(raw json.RawMessage) error {
	var t messagesText
	if err := strictly(raw, &t); err != nil {
		return err
	}
	if blank(t.Text) {
		return errors.New("text content blocks must contain non-whitespace text")
	}
	return nil
}

var messagesCallID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func (c *messagesInput) call(raw json.RawMessage) error {
	var u messagesToolUse
	if err := strictly(raw, &u); err != nil {
		return err
	}
	switch {
	case !messagesCallID.MatchString(u.ID) || c.used[u.ID]:
		return fmt.Errorf("the call's id %q is used twice, or is none", u.ID)
	case !messagesName.MatchString(u.Name):
		return fmt.Errorf("the call's name is %q", u.Name)
	case u.Input == nil:
		return errors.New("the input is no object")
	}
	c.used[u.ID], c.open = true, append(c.open, u.ID)
	return nil
}

// result: results come first in their message.
func (c *messagesInput) result(raw json.RawMessage) error {
	var r messagesToolResult
	if err := strictly(raw, &r); err != nil {
		return err
	}
	i := slices.Index(c.open, r.ID)
	switch {
	case slices.ContainsFunc(c.types, func(kind string) bool { return kind != "tool_result" }):
		return errors.New("a tool_result stands behind other content")
	case i < 0:
		return fmt.Errorf("unexpected tool_use_id %q: each tool_result must have a tool_use in the previous message", r.ID)
	case blank(r.Content):
		return errors.New("the result's text is blank")
	}
	c.open = slices.Delete(c.open, i, i+1)
	return nil
}

func checkMessagesSigned(raw json.RawMessage) error {
	var s messagesSigned
	if err := strictly(raw, &s); err != nil {
		return err
	}
	if s.Type == "thinking" && (s.Signature == "" || s.Data != "") || s.Type == "redacted_thinking" && (s.Data == "" || s.Signature != "") {
		return errors.New("invalid `signature` in `thinking` block")
	}
	return nil
}

func checkMessagesFile(raw json.RawMessage) error {
	var f messagesFile
	if err := strictly(raw, &f); err != nil {
		return err
	}
	kinds := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	if f.Type == "document" {
		kinds = []string{"application/pdf"}
	}
	data, err := base64.StdEncoding.DecodeString(f.Source.Data)
	if f.Source.Type != "base64" || !slices.Contains(kinds, f.Source.Media) || err != nil || len(data) == 0 || f.Type == "image" && f.Title != "" {
		return fmt.Errorf("a %s of %s, encoded as %s, cannot be read", f.Type, f.Source.Media, f.Source.Type)
	}
	return nil
}
