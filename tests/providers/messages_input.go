package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

type messagesMessage struct {
	Role    string
	Content []json.RawMessage
}

// messages checks that roles alternate, that each call has its one result right
// behind it, and what may stand at the end.
func (q messagesRequest) messages() error {
	if len(q.Messages) == 0 || q.Messages[0].Role != "user" {
		return errors.New("the messages do not begin with the user's")
	}
	c := messagesInput{used: map[string]bool{}}
	for i, m := range q.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("messages.%d: the role is %q; roles must alternate", i, m.Role)
		}
		if err := c.message(m); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	if len(c.used) > 0 && len(q.Tools) == 0 {
		return errors.New("requests with tool_use or tool_result must define tools")
	}
	return errors.Join(c.end(q.Messages), q.underWay(c.begins))
}

// messagesInput checks messages, one after the other.
type messagesInput struct {
	used  map[string]bool // ids of calls
	open  []string        // those that wait for their result
	types []string        // of the blocks of the message at hand
	// begins are the types that the answers of the round of calls under way begin with.
	begins []string
}

func (c *messagesInput) message(m messagesMessage) error {
	if len(m.Content) == 0 {
		return errors.New("the content is empty")
	}
	c.types = nil
	for i, raw := range m.Content {
		if err := c.block(m.Role, raw); err != nil {
			return fmt.Errorf("content.%d: %w", i, err)
		}
	}
	switch last := c.types[len(c.types)-1]; {
	case m.Role == "user" && len(c.open) > 0:
		return fmt.Errorf("tool_use ids were found without tool_result blocks immediately after: %v", c.open)
	case m.Role == "user" && c.types[0] != "tool_result":
		c.begins = nil
	case m.Role == "assistant" && (last == "thinking" || last == "redacted_thinking"):
		return errors.New("the final block in an assistant message cannot be thinking")
	case m.Role == "assistant":
		c.begins = append(c.begins, c.types[0])
	}
	return nil
}

// end: a model goes on with its own words only where the server paused it.
func (c *messagesInput) end(all []messagesMessage) error {
	if all[len(all)-1].Role == "user" {
		return nil
	}
	if last := c.types[len(c.types)-1]; last == "text" || last == "tool_use" {
		return errors.New("this model does not support assistant message prefill; the conversation must end with a user message")
	}
	return nil
}

// underWay: a model with a budget does not begin, or end, thinking in the middle of
// calls.
func (q messagesRequest) underWay(begins []string) error {
	if !q.budgeted() || len(begins) == 0 {
		return nil
	}
	thought := strings.HasSuffix(begins[0], "thinking")
	if on := q.Thinking != nil && q.Thinking.Type == "enabled"; on && !thought {
		return fmt.Errorf("expected thinking or redacted_thinking, but found %s: when thinking is enabled, a final assistant message must start with a thinking block", begins[0])
	} else if !on && thought {
		return errors.New("when thinking is disabled, an assistant message in the final position cannot contain thinking")
	}
	return nil
}
