package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// Options are what the harness gives.
type Options struct {
	Secrets outside.Secrets
	Network outside.Network
}

// Tools are the tools of one configuration.
type Tools struct {
	Options
	rules    rules
	timeout  time.Duration
	maxBytes int
	// public reaches public addresses only, private those of the deployment as well.
	public, private http.RoundTripper
}

// Limits of a configuration and of a call.
const (
	maxRules         = 64
	maxRequestBytes  = 1 << 20
	defaultBodyBytes = 256 << 10
	maxBodyBytes     = 2 << 20 // as JSON it may be six times as long, and is still kept
)

// config is what an agent's definition says of these tools.
type config struct {
	Timeout          outside.Duration `json:"timeout"`
	MaxResponseBytes int              `json:"maxResponseBytes"`
	Allow            rules            `json:"allow"`
}

// New reads a configuration. Its error says what is wrong with it.
func New(with json.RawMessage, o Options) (*Tools, error) {
	var c config
	if err := outside.Read(with, &c); err != nil {
		return nil, fmt.Errorf("tool http: %w", err)
	}
	timeout, err := c.Timeout.Timeout()
	if err == nil {
		err = c.Allow.check()
	}
	if err != nil {
		return nil, fmt.Errorf("tool http: %w", err)
	}
	if c.MaxResponseBytes == 0 {
		c.MaxResponseBytes = defaultBodyBytes
	}
	if c.MaxResponseBytes < 0 || c.MaxResponseBytes > maxBodyBytes {
		return nil, fmt.Errorf("tool http: maxResponseBytes is %d; it is from 1 to %d", c.MaxResponseBytes, maxBodyBytes)
	}
	t := &Tools{Options: o, rules: c.Allow, timeout: timeout, maxBytes: c.MaxResponseBytes}
	inside := o.Network
	o.Network.Internal, inside.Internal = false, true
	t.public, t.private = o.Network.Transport(), inside.Transport()
	return t, nil
}

//go:embed http_read.md
var readText string

//go:embed http_idempotent.md
var idempotentText string

//go:embed http_once.md
var onceText string

// args are a call's. The body is text, JSON as well: so it is sent as it was written.
type args struct {
	Method  string            `json:"method" jsonschema:"the HTTP method, such as GET"`
	URL     string            `json:"url" jsonschema:"the whole URL with its query, such as https://example.com/search?q=a"`
	Headers map[string]string `json:"headers,omitempty" jsonschema:"headers to send, such as Accept or If-None-Match"`
	Body    string            `json:"body,omitempty" jsonschema:"the body to send, text or JSON"`
}

// List returns a tool for every class that something is allowed of. It never fails.
func (t *Tools) List(context.Context) ([]*tool.Tool, error) {
	var all []*tool.Tool
	for _, c := range []struct {
		effect tool.Effect
		text   string
	}{{tool.Read, readText}, {tool.Idempotent, idempotentText}, {tool.Once, onceText}} {
		allowed := t.rules.describe(c.effect)
		if allowed == "" {
			continue
		}
		all = append(all, tool.Define(tool.Tool{
			Name: name(c.effect), Description: strings.TrimSpace(c.text) + "\n\nAllowed:\n" + allowed, Effect: c.effect, Timeout: t.timeout, About: tool.AboutArgs(about),
		}, target(c.effect), t.run(c.effect)))
	}
	return all, nil
}

func name(e tool.Effect) string { return "http_" + string(e) }

// target keeps calls that change something at one host in the model's order.
func target(e tool.Effect) func(args) string {
	return func(a args) string {
		u, err := outside.ParseURL(a.URL)
		if e == tool.Read || err != nil {
			return ""
		}
		return "http:" + u.Host
	}
}

// about is a request's host and method. Redirects are the allow list's business.
func about(a args) tool.Subject {
	u, err := outside.ParseURL(a.URL)
	if err != nil {
		return tool.Subject{}
	}
	return tool.Subject{Hosts: []string{u.Hostname()}, Methods: []string{strings.ToUpper(a.Method)}}
}
