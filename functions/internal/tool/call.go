package tool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
)

// Call is a call of a tool whose arguments were read, once: they may be megabytes, and
// several questions are asked about them.
type Call struct {
	Tool *Tool
	read any // as the tool takes them
}

// Read checks a call's arguments and reads them. The error is a [Failure] that the model
// reads.
func (t *Tool) Read(arguments string) (Call, error) {
	if err := t.check(arguments); err != nil {
		return Call{}, err
	}
	a, err := t.read(json.RawMessage(arguments))
	// The schema's integer may be written as 1e3, or have too many digits.
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return Call{}, failf("invalid_arguments", "the arguments do not fit %s: %s cannot be %s", t.Name, wrong.Field, wrong.Value)
	}
	if err != nil {
		return Call{}, failf("invalid_arguments", "the arguments do not fit %s: %v", t.Name, err)
	}
	return Call{t, a}, nil
}

// Run is [Tool.Read] and [Call.Run].
func (t *Tool) Run(ctx context.Context, env Env, arguments string) (Result, error) {
	c, err := t.Read(arguments)
	if err != nil {
		return Result{}, err
	}
	return c.Run(ctx, env)
}

// Target names what the call works on, or "" for nothing in particular. Calls of
// a round that share a target are carried out in the model's order.
func (c Call) Target() string { return c.Tool.target(c.read) }

// Subject is what the call is about.
func (c Call) Subject() (s Subject) {
	if c.Tool.About != nil {
		s = c.Tool.About(c.read)
	} else if path, ok := strings.CutPrefix(c.Target(), "file:"); ok && path != "*" {
		s.Paths = []string{path}
	}
	s.Tool = c.Tool.Name
	return s
}

// Run carries the call out. The error is a [Failure], whatever happened, or of a
// tool of the class Once [ErrUnknown], if it did not say itself what did not happen.
func (c Call) Run(ctx context.Context, env Env) (r Result, err error) {
	t := c.Tool
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "a tool panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			r, err = Result{}, t.unexpected()
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	r, err = t.run(ctx, env, c.read)
	var f Failure
	switch tooMuch := bound(r); {
	case err == nil && tooMuch != nil && t.Effect == Once:
		return Result{Output: Unkept}, nil // whoever reads of a failure may do it again
	case err == nil && tooMuch != nil:
		return Result{}, tooMuch
	case err == nil:
		if len(r.Files) > 0 {
			env.Workspace.Apply(r.Files...)
		}
		return r, nil
	case errors.As(err, &f):
		return Result{}, f
	case t.Effect == Once:
		slog.ErrorContext(ctx, "what became of a call is not known", "tool", t.Name, "error", err)
		return Result{}, ErrUnknown
	case errors.Is(err, context.DeadlineExceeded):
		return Result{}, failf("timeout", "the call took longer than %s", t.Timeout)
	}
	slog.ErrorContext(ctx, "a tool failed", "tool", t.Name, "error", err)
	return Result{}, t.unexpected()
}
