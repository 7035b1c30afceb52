package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// converseRequest is all that is asked with; the API refuses what it does not know.
type converseRequest struct {
	System     []converseBlock
	ToolConfig *struct {
		Tools []struct {
			ToolSpec   *converseTool
			CachePoint *converseMark
		}
	}
	InferenceConfig *struct {
		MaxTokens *int
	}
	Additional *converseThinking `json:"additionalModelRequestFields"`
	Messages   []converseMessage
}

type converseTool struct {
	Name        string
	Description *string
	InputSchema struct{ JSON json.RawMessage }
}

type converseMark struct{ Type string }

// converseSigned is how a request is signed, or a bearer's token.
var converseSigned = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=\S+/\d{8}/[a-z0-9-]+/bedrock/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$|^Bearer \S+$`)

func (converse) Check(r *http.Request, body []byte) error {
	switch {
	case !converseSigned.MatchString(r.Header.Get("Authorization")):
		return errors.New("the request is not signed")
	case r.Header.Get("Content-Type") != "application/json":
		return errors.New("the content is not said to be JSON")
	case !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 || nulEscape.Match(body):
		return errors.New("the body is no UTF-8, or holds a NUL")
	}
	var q converseRequest
	if err := strictly(body, &q); err != nil {
		return err
	}
	c := converseCheck{model: converseModelOf(r.PathValue("model")), used: map[string]bool{}, open: map[string]bool{}, names: map[string]bool{}}
	return errors.Join(c.system(q.System), c.tools(q), q.limits(c.model), c.messages(q.Messages), c.whole(q))
}

// converseModel is what a model takes.
type converseModel struct{ claude, nova, adaptive, budget bool }

func converseModelOf(id string) converseModel {
	m := converseModel{claude: strings.Contains(id, "anthropic.claude-"), nova: strings.Contains(id, "amazon.nova-")}
	m.adaptive = regexp.MustCompile(`claude-[a-z]+-(4-[6-9]\b|[5-9]\b)`).MatchString(id)
	m.budget = regexp.MustCompile(`claude-(3-7|[a-z]+-4(-[0-6])?(\D|-\d{8}|$))`).MatchString(id)
	return m
}

// converseCheck looks at one request, from its beginning to its end.
type converseCheck struct {
	model             converseModel
	used, open, names map[string]bool // ids of calls; names of documents
	marks, calls      int
	images, documents int
}

func (c *converseCheck) mark(m *converseMark, allowed bool) error {
	c.marks++
	switch {
	case m.Type != "default":
		return fmt.Errorf("a cache point of type %q", m.Type)
	case !allowed:
		return errors.New("extraneous key [cachePoint] is not permitted")
	case c.marks > 4:
		return errors.New("more than four cache points")
	}
	return nil
}

func (c *converseCheck) system(blocks []converseBlock) error {
	for i, b := range blocks {
		switch {
		case b.kinds() != 1 || b.Text == nil && b.CachePoint == nil:
			return fmt.Errorf("system.%d is no text, and no cache point", i)
		case b.Text != nil && blankText(*b.Text):
			return fmt.Errorf("system.%d is blank", i)
		case b.CachePoint != nil && i == 0:
			return errors.New("system: there is nothing available to cache")
		case b.CachePoint != nil:
			if err := c.mark(b.CachePoint, c.model.claude || c.model.nova); err != nil {
				return err
			}
		}
	}
	return nil
}

var converseName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (c *converseCheck) tools(q converseRequest) error {
	if q.ToolConfig == nil {
		return nil
	}
	seen := map[string]bool{}
	for i, t := range q.ToolConfig.Tools {
		switch {
		case (t.ToolSpec == nil) == (t.CachePoint == nil):
			return fmt.Errorf("tools.%d is not one thing", i)
		case t.CachePoint != nil:
			if err := c.mark(t.CachePoint, c.model.claude && i > 0); err != nil {
				return fmt.Errorf("#/toolConfig/tools/%d: %w", i, err)
			}
			continue
		}
		if err := t.ToolSpec.check(); err != nil {
			return fmt.Errorf("tools.%d: %w", i, err)
		}
		if seen[t.ToolSpec.Name] {
			return fmt.Errorf("two tools have the name %s", t.ToolSpec.Name)
		}
		seen[t.ToolSpec.Name] = true
	}
	if len(seen) == 0 {
		return errors.New("toolConfig has no tools")
	}
	return nil
}

func (t converseTool) check() error {
	var schema struct{ Type string }
	switch err := json.Unmarshal(t.InputSchema.JSON, &schema); {
	case !converseName.MatchString(t.Name):
		return fmt.Errorf("the name is %q", t.Name)
	case t.Description != nil && blankText(*t.Description):
		return errors.New("the description is empty")
	case err != nil || schema.Type != "object":
		return errors.New("inputSchema.json.type must be object")
	}
	return nil
}

// whole looks at what depends on all of it.
func (c *converseCheck) whole(q converseRequest) error {
	if c.calls > 0 && q.ToolConfig == nil {
		return errors.New("the toolConfig field must be defined when using toolUse and toolResult content blocks")
	}
	return nil
}

func blankText(s string) bool { return strings.TrimSpace(s) == "" }
