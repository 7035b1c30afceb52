package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// Invoker calls a function once, and waits for its answer: what it returned or, if it
// threw, that. The error is the SDK's.
type Invoker = func(ctx context.Context, function string, payload []byte) (answer []byte, threw bool, err error)

// Options are what the harness gives.
type Options struct {
	// Invoke may be nil if nothing is called, only checked.
	Invoke Invoker
}

// Tools are the tools of one configuration.
type Tools struct{ all []*tool.Tool }

// config is what an agent's definition says of these tools.
type config struct {
	Functions []function `json:"functions"`
}

// function is one that may be called.
type function struct {
	// Name is the tool's.
	Name string `json:"name"`
	// Function is a function's name or ARN, with an alias or a version if it has one.
	Function    string           `json:"function"`
	Description string           `json:"description"`
	Effect      tool.Effect      `json:"effect"`
	Timeout     outside.Duration `json:"timeout"`
	// Input is the arguments' JSON Schema.
	Input json.RawMessage `json:"input"`
	// Callback is how long a function may take that reports later; 0 for one that does not.
	Callback outside.Duration `json:"callback"`
}

// Limits of a configuration.
const (
	maxFunctions   = 64
	maxDescription = 4 << 10
)

var (
	toolName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	functionName = regexp.MustCompile(`^(arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:)?[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?$`)
)

// New reads a configuration. Its error says what is wrong with it.
func New(with json.RawMessage, o Options) (*Tools, error) {
	var c config
	if err := outside.Read(with, &c); err != nil {
		return nil, fmt.Errorf("tool lambda: %w", err)
	}
	if len(c.Functions) == 0 || len(c.Functions) > maxFunctions {
		return nil, fmt.Errorf("tool lambda: there are %d functions; there may be from 1 to %d", len(c.Functions), maxFunctions)
	}
	t, seen := &Tools{}, map[string]bool{}
	for _, f := range c.Functions {
		made, err := f.tool(o.Invoke)
		if err == nil && seen[f.Name] {
			err = errors.New("the name is there twice")
		}
		if err != nil {
			return nil, fmt.Errorf("tool lambda: function %q: %w", f.Name, err)
		}
		seen[f.Name] = true
		t.all = append(t.all, made)
	}
	return t, nil
}

// List returns a tool for every function. It never fails.
func (t *Tools) List(context.Context) ([]*tool.Tool, error) { return t.all, nil }

func (f function) tool(invoke Invoker) (*tool.Tool, error) {
	timeout, err := f.Timeout.Timeout()
	switch {
	case err != nil:
		return nil, err
	case !toolName.MatchString(f.Name):
		return nil, errors.New("the name has 1 to 64 letters, digits, _ and -, and begins with a letter")
	case !functionName.MatchString(f.Function):
		return nil, errors.New("function is a name or an ARN, with an alias or a version if need be")
	case f.Description == "" || len(f.Description) > maxDescription:
		return nil, fmt.Errorf("the description has %d bytes; it tells the model what the function is for, in at most %d", len(f.Description), maxDescription)
	case f.Callback < 0 || time.Duration(f.Callback) > tool.MaxLater || f.Callback > 0 && f.Effect == tool.Read:
		return nil, fmt.Errorf("callback is how long a function that changes something may take to report, at most %s", tool.MaxLater)
	case len(f.Input) == 0:
		return nil, errors.New("the input's JSON Schema is missing")
	}
	if err := outside.CheckEffect(f.Effect); err != nil {
		return nil, err
	}
	target := ""
	if f.Effect != tool.Read {
		target = "lambda:" + f.Name
	}
	call := call{invoke: invoke, function: f.Function, effect: f.Effect, later: time.Duration(f.Callback)}
	return outside.Define(tool.Tool{Name: f.Name, Description: f.Description, Effect: f.Effect, Timeout: timeout}, f.Input, target, call.run)
}
