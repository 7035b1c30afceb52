package tool_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/tool"
)

// Only what may pass is tried again, never what must not be repeated, and never into a
// time that is not there.
func TestWhatMayPassIsTriedAgain(t *testing.T) {
	failing := func(code string) error { return tool.Failure{Code: code, Message: "m"} }
	for name, c := range map[string]struct {
		effect   tool.Effect
		answers  []error // nil is success; the last one stays
		passing  bool
		attempts int
		left     time.Duration
		runs     int
		took     time.Duration
	}{
		"at once":                   {tool.Read, []error{nil}, false, 3, time.Hour, 1, 0},
		"the second time":           {tool.Read, []error{failing("unreachable"), nil}, false, 3, time.Hour, 2, 500 * time.Millisecond},
		"never":                     {tool.Idempotent, []error{failing("unavailable")}, false, 3, time.Hour, 3, 2500 * time.Millisecond},
		"as often as there is":      {tool.Idempotent, []error{failing("throttled")}, false, 5, time.Hour, 5, 30500 * time.Millisecond},
		"not if nothing was said":   {tool.Read, []error{failing("timeout"), nil}, false, 0, time.Hour, 1, 0},
		"not if it cannot pass":     {tool.Read, []error{failing("denied_host"), nil}, false, 3, time.Hour, 1, 0},
		"not of the class once":     {tool.Once, []error{failing("unreachable"), nil}, false, 3, time.Hour, 1, 0},
		"an answer that may pass":   {tool.Read, []error{nil}, true, 2, time.Hour, 2, 500 * time.Millisecond},
		"no time for another":       {tool.Read, []error{failing("unreachable"), nil}, false, 3, 10 * time.Second, 1, 0},
		"time for another, no more": {tool.Read, []error{failing("unreachable")}, false, 3, 11 * time.Second, 2, 500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			runs, began := 0, time.Now()
			tried := tool.Define(tool.Tool{Name: "x", Description: "d", Effect: c.effect, Timeout: 10 * time.Second}, func(struct{}) string { return "" },
				func(context.Context, tool.Env, struct{}) (tool.Result, error) {
					runs++
					return tool.Result{Passing: c.passing}, c.answers[min(runs, len(c.answers))-1]
				})
			ctx, cancel := context.WithTimeout(t.Context(), c.left)
			defer cancel()
			_, err := asked(t, tried, "{}").Attempt(ctx, env(), c.attempts)
			if last := c.answers[min(runs, len(c.answers))-1]; runs != c.runs || (err == nil) != (last == nil) || time.Since(began) != c.took {
				t.Errorf("%s: %d runs in %s, %v", name, runs, time.Since(began), err)
			}
		})
	}
}
