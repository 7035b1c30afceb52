package tool

import (
	"context"
	_ "embed"
	"fmt"
	"time"
)

//go:embed wait.md
var waitText string

type waitArgs struct {
	Until   string `json:"until,omitempty" jsonschema:"when to go on, as RFC 3339 with an offset, such as 2027-01-31T09:00:00Z"`
	Seconds int64  `json:"seconds,omitempty" jsonschema:"how long to wait instead"`
}

var wait = Define(Tool{
	Name: "wait", Description: waitText, Effect: Read, Timeout: 30 * time.Second,
}, func(waitArgs) string { return "" }, func(_ context.Context, env Env, a waitArgs) (Result, error) {
	now := time.Now()
	until, err := when(now, a.Until, a.Seconds)
	if err != nil {
		return Result{}, err
	}
	if env.Again || !until.After(now) {
		return Result{Output: fmt.Sprintf(`{"now":%q}`, now.UTC().Format(time.RFC3339))}, nil
	}
	return Result{Later: &Later{For: until.Sub(now), Again: true}}, nil
})

// when is the moment that a call names, at most [MaxLater] ahead.
func when(now time.Time, at string, seconds int64) (time.Time, error) {
	var then time.Time
	var err error
	switch {
	case (at == "") == (seconds == 0):
		return then, failf("invalid_arguments", "say either when, as RFC 3339, or in how many seconds; it is %s now", now.UTC().Format(time.RFC3339))
	case at != "":
		if then, err = time.Parse(time.RFC3339, at); err != nil {
			return then, failf("invalid_arguments", "%.60q is no time of RFC 3339, such as %s", at, now.UTC().Format(time.RFC3339))
		}
	case seconds < 0 || seconds > int64(MaxLater/time.Second):
		return then, failf("invalid_arguments", "it is from 1 to %d seconds", int64(MaxLater/time.Second))
	default:
		then = now.Add(time.Duration(seconds) * time.Second)
	}
	if then.Sub(now) > MaxLater {
		return then, failf("invalid_arguments", "that is more than %d days ahead; it is %s now", MaxLater/(24*time.Hour), now.UTC().Format(time.RFC3339))
	}
	return then, nil
}
