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

// chatRequest is all that the strictest servers are asked with; they refuse what they
// do not know.
type chatRequest struct {
	Model               string
	Stream              bool
	StreamOptions       *chatStreamOptions `json:"stream_options"`
	MaxTokens           *int               `json:"max_tokens"`
	MaxCompletionTokens *int               `json:"max_completion_tokens"`
	Effort              *string            `json:"reasoning_effort"`
	Tools               *[]chatTool
	Messages            []json.RawMessage
}

type chatStreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatTool struct {
	Type     string
	Function struct {
		Name        string
		Description *string
		Parameters  json.RawMessage
	}
}

var chatName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (chat) Check(r *http.Request, body []byte) error {
	switch key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); {
	case r.Header.Get("Authorization") != "" && (!bearer || key == ""): // a local server wants none
		return errors.New("the authorization is no bearer token")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return errors.New("the content is not said to be JSON")
	case !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 || nulEscape.Match(body):
		return errors.New("the body is no UTF-8, or holds a NUL")
	}
	var q chatRequest
	if err := strictly(body, &q); err != nil {
		return err
	}
	return errors.Join(q.settings(), q.tools(), checkChatMessages(q.Messages))
}

func (q chatRequest) settings() error {
	switch {
	case q.Model == "":
		return errors.New("there is no model")
	case !q.Stream:
		return errors.New("stream is not asked for")
	case q.StreamOptions == nil || !q.StreamOptions.IncludeUsage:
		return errors.New("usage is not asked for, so there is none")
	case q.MaxTokens != nil && q.MaxCompletionTokens != nil:
		return errors.New("max_tokens and max_completion_tokens cannot be used together")
	case q.MaxTokens != nil && *q.MaxTokens < 1, q.MaxCompletionTokens != nil && *q.MaxCompletionTokens < 1:
		return errors.New("the most tokens are less than 1")
	case q.Effort != nil && !slices.Contains([]string{"none", "minimal", "low", "medium", "high"}, *q.Effort):
		return fmt.Errorf("the effort is %q", *q.Effort)
	}
	return nil
}

func (q chatRequest) tools() error {
	if q.Tools == nil {
		return nil
	}
	if n := len(*q.Tools); n == 0 || n > 128 {
		return fmt.Errorf("%d tools", n)
	}
	seen := map[string]bool{}
	for _, t := range *q.Tools {
		var schema struct {
			Type       string
			Properties map[string]any
		}
		switch err := json.Unmarshal(t.Function.Parameters, &schema); {
		case t.Type != "function" || !chatName.MatchString(t.Function.Name) || seen[t.Function.Name]:
			return fmt.Errorf("tool %q of type %q has no name of its own", t.Function.Name, t.Type)
		case err != nil || schema.Type != "object" || schema.Properties == nil:
			return fmt.Errorf("the parameters of tool %s are no schema of an object with properties", t.Function.Name)
		}
		seen[t.Function.Name] = true
	}
	return nil
}
