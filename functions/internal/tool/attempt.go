package tool

import (
	"context"
	"errors"
	"time"
)

// pauses are between the attempts at a call.
var pauses = []time.Duration{500 * time.Millisecond, 2 * time.Second, 8 * time.Second, 20 * time.Second}

// passing are the codes of failures that may pass by themselves.
var passing = map[string]bool{"timeout": true, "unreachable": true, "broke_off": true, "throttled": true, "unavailable": true}

// Attempt runs the call up to so many times, as long as it fails in a way that may pass
// and its context leaves time for another attempt. One of the class Once runs once.
func (c Call) Attempt(ctx context.Context, env Env, attempts int) (Result, error) {
	for n := 1; ; n++ {
		r, err := c.Run(ctx, env)
		if c.Tool.Effect == Once || n >= attempts || !mayPass(r, err) || !c.Tool.pause(ctx, pauses[min(n, len(pauses))-1]) {
			return r, err
		}
	}
}

func mayPass(r Result, err error) bool {
	var f Failure
	if errors.As(err, &f) {
		return passing[f.Code]
	}
	return r.Passing
}

// pause waits, if there is time for that and for an attempt behind it.
func (t *Tool) pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d+t.Timeout {
		return false
	}
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
		return true
	case <-ctx.Done():
		return false
	}
}
