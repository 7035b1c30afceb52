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

// responsesRequest is all that the API is asked with; it refuses what it does not
// know.
type responsesRequest struct {
	Model           string
	Stream          bool
	Store           *bool
	Instructions    *string
	Tools           []responsesTool
	Parallel        *bool `json:"parallel_tool_calls"`
	Reasoning       *responsesReasoning
	Include         []string
	MaxOutputTokens *int    `json:"max_output_tokens"`
	PromptCacheKey  *string `json:"prompt_cache_key"`
	Input           []json.RawMessage
}

type responsesTool struct {
	Type, Name, Description string
	Parameters              json.RawMessage
	Strict                  *bool
}

type responsesReasoning struct{ Effort, Summary string }

var responsesName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (responses) Check(r *http.Request, body []byte) error {
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !bearer || key == "":
		return errors.New("there is no bearer token")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return errors.New("the content is not said to be JSON")
	case !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 || nulEscape.Match(body):
		return errors.New("the body is no UTF-8, or holds a NUL")
	}
	var q responsesRequest
	if err := strictly(body, &q); err != nil {
		return err
	}
	return errors.Join(q.settings(), q.tools(), checkResponsesInput(q.Input))
}

// nulEscape is an escaped NUL; an escaped backslash before "u0000" is none.
var nulEscape = regexp.MustCompile(`(^|[^\\])(\\\\)*\\u0000`)

// strictly refuses fields that v does not have, and anything behind the value.
func strictly(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("there is something behind the JSON")
	}
	return nil
}

func (q responsesRequest) settings() error {
	switch {
	case q.Model == "":
		return errors.New("there is no model")
	case !q.Stream:
		return errors.New("stream is not asked for")
	case q.Store == nil || *q.Store:
		return errors.New("store is not false")
	case q.Instructions != nil && *q.Instructions == "":
		return errors.New("the instructions are empty")
	case q.MaxOutputTokens != nil && *q.MaxOutputTokens < 16:
		return fmt.Errorf("max_output_tokens is %d; the least is 16", *q.MaxOutputTokens)
	case q.PromptCacheKey != nil && (*q.PromptCacheKey == "" || len(*q.PromptCacheKey) > 64):
		return errors.New("prompt_cache_key is not of 1 to 64 characters")
	}
	return q.reasoning()
}

// reasoning: a model that does not reason refuses to be asked for it.
func (q responsesRequest) reasoning() error {
	for _, i := range q.Include {
		if i != "reasoning.encrypted_content" {
			return fmt.Errorf("include has %q", i)
		}
	}
	if q.Reasoning == nil {
		if q.Include != nil {
			return errors.New("encrypted content is asked of a model that is not asked to reason")
		}
		return nil
	}
	if !slices.Contains([]string{"none", "minimal", "low", "medium", "high", "xhigh"}, q.Reasoning.Effort) {
		return fmt.Errorf("the effort is %q", q.Reasoning.Effort)
	}
	if !slices.Contains([]string{"", "auto", "concise", "detailed"}, q.Reasoning.Summary) {
		return fmt.Errorf("the summary is %q", q.Reasoning.Summary)
	}
	if q.Reasoning.Effort == "none" && (q.Include != nil || q.Reasoning.Summary != "") {
		return errors.New("reasoning is asked for with an effort of none")
	}
	return nil
}

func (q responsesRequest) tools() error {
	if q.Parallel != nil && len(q.Tools) == 0 {
		return errors.New("parallel_tool_calls without tools")
	}
	if len(q.Tools) > 128 {
		return fmt.Errorf("%d tools", len(q.Tools))
	}
	seen := map[string]bool{}
	for _, t := range q.Tools {
		var schema struct {
			Type       string
			Properties map[string]any
		}
		switch err := json.Unmarshal(t.Parameters, &schema); {
		case t.Type != "function" || !responsesName.MatchString(t.Name) || seen[t.Name] || t.Strict == nil:
			return fmt.Errorf("tool %q of type %q has no name of its own, or strict is not said", t.Name, t.Type)
		case err != nil || schema.Type != "object" || schema.Properties == nil:
			return fmt.Errorf("the parameters of tool %s are no schema of an object with properties", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}
