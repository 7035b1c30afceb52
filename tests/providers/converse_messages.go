package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

type converseMessage struct {
	Role    string
	Content []converseBlock
}

// converseBlock is one of its fields.
type converseBlock struct {
	Text       *string
	CachePoint *converseMark
	ToolUse    *struct {
		ToolUseID, Name string
		Input           json.RawMessage
	}
	ToolResult *struct {
		ToolUseID string
		Content   []struct{ Text *string }
		Status    *string
	}
	Reasoning *struct {
		Text     *struct{ Text, Signature *string } `json:"reasoningText"`
		Redacted *[]byte                            `json:"redactedContent"`
	} `json:"reasoningContent"`
	Image    *converseFile
	Document *converseFile
}

type converseFile struct {
	Format string
	Name   *string
	Source struct{ Bytes []byte }
}

func (b converseBlock) kinds() (n int) {
	for _, has := range []bool{b.Text != nil, b.CachePoint != nil, b.ToolUse != nil, b.ToolResult != nil, b.Reasoning != nil, b.Image != nil, b.Document != nil} {
		if has {
			n++
		}
	}
	return n
}

func (c *converseCheck) messages(all []converseMessage) error {
	if len(all) == 0 || all[len(all)-1].Role != "user" {
		return errors.New("the conversation must end with a user message")
	}
	for i, m := range all {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("messages.%d is of role %q, want %q", i, m.Role, want)
		}
		if err := c.message(m); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	return nil
}

func (c *converseCheck) message(m converseMessage) error {
	if len(m.Content) == 0 {
		return errors.New("the content is empty")
	}
	text, document := false, false
	for i, b := range m.Content {
		if b.kinds() != 1 {
			return fmt.Errorf("content.%d is not one thing", i)
		}
		if err := c.block(m, i, b); err != nil {
			return fmt.Errorf("content.%d: %w", i, err)
		}
		text, document = text || b.Text != nil, document || b.Document != nil
	}
	switch {
	case document && !text:
		return errors.New("a document wants a text beside it")
	case m.Role == "user" && len(c.open) > 0:
		return fmt.Errorf("%d toolUse blocks have no toolResult in the message behind them", len(c.open))
	case m.Role == "assistant" && m.Content[len(m.Content)-1].Reasoning != nil:
		return errors.New("the final block cannot be reasoning")
	}
	return nil
}

func (c *converseCheck) block(m converseMessage, i int, b converseBlock) error {
	switch {
	case b.Text != nil:
		if blankText(*b.Text) {
			return errors.New("the text is blank")
		}
		return nil
	case b.CachePoint != nil:
		return c.cachePoint(m, i, b.CachePoint)
	case (b.ToolUse != nil || b.Reasoning != nil) != (m.Role == "assistant"):
		return fmt.Errorf("a message of role %s cannot have this", m.Role)
	case b.ToolUse != nil:
		return c.call(b)
	case b.ToolResult != nil:
		return c.result(m, i, b)
	case b.Reasoning != nil:
		return b.reasoning()
	}
	return c.file(b)
}

// cachePoint may not follow reasoning, or a document whose text Bedrock takes out.
func (c *converseCheck) cachePoint(m converseMessage, i int, mark *converseMark) error {
	if i == 0 {
		return errors.New("there is nothing available to cache")
	}
	before := m.Content[i-1]
	switch {
	case before.Reasoning != nil || before.CachePoint != nil:
		return errors.New("cache point cannot be inserted after this block")
	case before.Document != nil && before.Document.Format != "pdf":
		return errors.New("a cache point after a document: type: field required")
	}
	results := slices.ContainsFunc(m.Content, func(b converseBlock) bool { return b.ToolResult != nil })
	return c.mark(mark, c.model.claude || c.model.nova && !results)
}

func (c *converseCheck) call(b converseBlock) error {
	var input map[string]any
	switch err := json.Unmarshal(b.ToolUse.Input, &input); {
	case !converseName.MatchString(b.ToolUse.ToolUseID) || c.used[b.ToolUse.ToolUseID]:
		return fmt.Errorf("the call's id %q is used twice, or is none", b.ToolUse.ToolUseID)
	case !converseName.MatchString(b.ToolUse.Name):
		return fmt.Errorf("the call's name is %q", b.ToolUse.Name)
	case err != nil || input == nil:
		return errors.New("the input is no JSON object")
	}
	c.calls++
	c.used[b.ToolUse.ToolUseID], c.open[b.ToolUse.ToolUseID] = true, true
	return nil
}

func (c *converseCheck) result(m converseMessage, i int, b converseBlock) error {
	r := b.ToolResult
	switch {
	case i > 0 && m.Content[i-1].ToolResult == nil:
		return errors.New("results come first")
	case !c.open[r.ToolUseID]:
		return fmt.Errorf("no toolUse waits for a result with the id %q", r.ToolUseID)
	case len(r.Content) != 1 || r.Content[0].Text == nil || blankText(*r.Content[0].Text):
		return errors.New("the result is no text, or blank")
	case r.Status != nil && (*r.Status != "success" && *r.Status != "error" || !c.model.claude && !c.model.nova):
		return fmt.Errorf("the status is %q", *r.Status)
	}
	delete(c.open, r.ToolUseID)
	return nil
}

func (b converseBlock) reasoning() error {
	r := b.Reasoning
	switch {
	case (r.Text == nil) == (r.Redacted == nil):
		return errors.New("reasoning is neither a text nor redacted, or both")
	case r.Redacted != nil && len(*r.Redacted) == 0:
		return errors.New("redacted reasoning is empty")
	case r.Text != nil && (r.Text.Text == nil || r.Text.Signature == nil || *r.Text.Signature == ""):
		return errors.New("reasoning has no text, or no signature")
	}
	return nil
}

var converseDocument = regexp.MustCompile(`^[a-zA-Z0-9()\[\]-]+( [a-zA-Z0-9()\[\]-]+)*$`)

func (c *converseCheck) file(b converseBlock) error {
	if f := b.Image; f != nil {
		if c.images++; c.images > 20 || f.Name != nil || len(f.Source.Bytes) == 0 || len(f.Source.Bytes) > 3_750_000 || !slices.Contains([]string{"png", "jpeg", "gif", "webp"}, f.Format) {
			return fmt.Errorf("image %d of format %q is empty, too large, one too many, or not known", c.images, f.Format)
		}
		return nil
	}
	f := b.Document
	c.documents++
	switch {
	case c.documents > 5 || len(f.Source.Bytes) == 0 || len(f.Source.Bytes) > 4_500_000:
		return fmt.Errorf("document %d is empty, too large, or one too many", c.documents)
	case !slices.Contains([]string{"pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"}, f.Format):
		return fmt.Errorf("a document of format %q", f.Format)
	case f.Name == nil || len(*f.Name) > 200 || !converseDocument.MatchString(*f.Name):
		return errors.New("a document's name has what no name has")
	case c.names[*f.Name]:
		return errors.New("messages can't contain duplicate document names")
	}
	c.names[*f.Name] = true
	return nil
}
