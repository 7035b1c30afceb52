package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// messagesRequest is all that the API is asked with; it refuses what it does not
// know. The servers of some clouds do not know cache_control beside the messages.
type messagesRequest struct {
	Model        string
	MaxTokens    int `json:"max_tokens"`
	Stream       bool
	System       []messagesText
	Tools        []messagesTool
	ToolChoice   *struct{ Type, Name string } `json:"tool_choice"`
	Thinking     *messagesThinking
	OutputConfig *struct{ Effort string } `json:"output_config"`
	Metadata     *struct {
		UserID string `json:"user_id"`
	}
	Messages []messagesMessage
}

type messagesTool struct {
	Name, Description string
	Schema            json.RawMessage `json:"input_schema"`
	Cache             *messagesCache  `json:"cache_control"`
}

type messagesThinking struct {
	Type, Display string
	Budget        *int `json:"budget_tokens"`
}

type messagesCache struct{ Type, TTL string }

var messagesName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

func (messages) Check(r *http.Request, body []byte) error {
	switch {
	case r.Header.Get("X-Api-Key") == "":
		return errors.New("there is no x-api-key")
	case r.Header.Get("Authorization") != "":
		return errors.New("two kinds of credentials are given")
	case r.Header.Get("Anthropic-Version") != "2023-06-01":
		return fmt.Errorf("anthropic-version is %q", r.Header.Get("Anthropic-Version"))
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return errors.New("the content is not said to be JSON")
	case !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 || nulEscape.Match(body):
		return errors.New("the body is no UTF-8, or holds a NUL")
	case len(body) > 32<<20:
		return errors.New("the body is larger than 32 MB")
	}
	var q messagesRequest
	if err := strictly(body, &q); err != nil {
		return err
	}
	return errors.Join(q.settings(), q.thinks(), q.tools(), q.caches(), q.messages())
}

func (q messagesRequest) settings() error {
	limit := 128_000
	if q.budgeted() {
		limit = 64_000
	}
	switch {
	case q.Model == "":
		return errors.New("there is no model")
	case !q.Stream:
		return errors.New("stream is not asked for")
	case q.MaxTokens < 1 || q.MaxTokens > limit:
		return fmt.Errorf("max_tokens is %d; it must be from 1 to %d", q.MaxTokens, limit)
	}
	for _, t := range q.System {
		if t.Type != "text" || blank(t.Text) {
			return errors.New("the system prompt has a block with no text")
		}
	}
	return nil
}

// budgeted models want thinking to have a budget; all others choose it themselves.
var messagesBudgeted = regexp.MustCompile(`^claude-(3-7|(opus|sonnet|haiku)-4-([015]|20\d{6})\b)`)

// messagesAlwaysThink cannot be told not to.
var messagesAlwaysThink = regexp.MustCompile(`^claude-(fable|mythos|(opus|sonnet)-5-5)`)

func (q messagesRequest) budgeted() bool { return messagesBudgeted.MatchString(q.Model) }

func (q messagesRequest) thinks() error {
	if q.OutputConfig != nil {
		if !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, q.OutputConfig.Effort) {
			return fmt.Errorf("the effort is %q", q.OutputConfig.Effort)
		}
		if q.budgeted() {
			return errors.New("this model does not support the effort parameter")
		}
	}
	t := q.Thinking
	switch {
	case t == nil:
		return nil
	case t.Type == "adaptive" && !q.budgeted() && t.Budget == nil:
		if !slices.Contains([]string{"", "summarized", "omitted"}, t.Display) {
			return fmt.Errorf("the display of thinking is %q", t.Display)
		}
		return nil
	case t.Type == "enabled" && q.budgeted() && t.Budget != nil && *t.Budget >= 1024 && *t.Budget < q.MaxTokens:
		return nil
	case t.Type == "disabled" && t.Budget == nil && !messagesAlwaysThink.MatchString(q.Model):
		return nil
	}
	return fmt.Errorf("thinking %+v is not supported for %s with %d tokens", *t, q.Model, q.MaxTokens)
}

func (q messagesRequest) tools() error {
	seen := map[string]bool{}
	for _, t := range q.Tools {
		var schema map[string]any
		if err := json.Unmarshal(t.Schema, &schema); err != nil || schema["type"] != "object" {
			return fmt.Errorf("the schema of tool %s is none of an object", t.Name)
		}
		for _, k := range []string{"oneOf", "anyOf", "allOf"} {
			if schema[k] != nil {
				return fmt.Errorf("the schema of tool %s has %s at its top", t.Name, k)
			}
		}
		if !messagesName.MatchString(t.Name) || seen[t.Name] {
			return fmt.Errorf("the tool's name %q is used twice, or is none", t.Name)
		}
		seen[t.Name] = true
	}
	if c := q.ToolChoice; c != nil && (len(q.Tools) == 0 || c.Type != "auto" && c.Type != "none") {
		return fmt.Errorf("the tool choice is %q of %d tools", c.Type, len(q.Tools))
	}
	return nil
}

// caches: a request may have four breakpoints, each of a known kind.
func (q messagesRequest) caches() error {
	var all []*messagesCache
	for _, t := range q.System {
		all = append(all, t.Cache)
	}
	for _, t := range q.Tools {
		all = append(all, t.Cache)
	}
	for _, m := range q.Messages {
		for _, raw := range m.Content {
			var b struct {
				Cache *messagesCache `json:"cache_control"`
			}
			_ = json.Unmarshal(raw, &b) // its own check says more
			all = append(all, b.Cache)
		}
	}
	n := 0
	for _, c := range all {
		if c == nil {
			continue
		}
		if n++; n > 4 {
			return errors.New("more than 4 blocks have cache_control")
		}
		if c.Type != "ephemeral" || !slices.Contains([]string{"", "5m", "1h"}, c.TTL) {
			return fmt.Errorf("a cache_control is %+v", *c)
		}
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
