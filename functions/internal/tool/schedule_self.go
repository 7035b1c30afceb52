package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

//go:embed schedule_self.md
var scheduleSelfText string

type scheduleArgs struct {
	Prompt  string `json:"prompt" jsonschema:"what you will be told then"`
	At      string `json:"at,omitempty" jsonschema:"when, as RFC 3339 with an offset, such as 2027-01-31T09:00:00Z"`
	Seconds int64  `json:"seconds,omitempty" jsonschema:"in how many seconds instead"`
}

// scheduled is the prompt of a session that waits for a schedule's time, in JSON; its
// agent's script reads it.
type scheduled struct {
	At          string `json:"at"`
	Session     string `json:"session"`
	OperationID string `json:"operationId"`
	Agent       string `json:"agent"`
	Prompt      string `json:"prompt"`
}

// Scheduler is the agent of such a session: it waits, and submits the prompt.
const Scheduler = "schedule"

// A schedule is a session of its own whose turn waits for its time: it is seen, and
// cancelled, as any other.
var scheduleSelf = Define(Tool{
	Name: "schedule_self", Description: scheduleSelfText, Effect: Idempotent, Timeout: 30 * time.Second,
}, func(scheduleArgs) string { return "" }, func(ctx context.Context, env Env, a scheduleArgs) (Result, error) {
	at, err := when(time.Now(), a.At, a.Seconds)
	if err != nil {
		return Result{}, err
	}
	if strings.TrimSpace(a.Prompt) == "" {
		return Result{}, failf("empty_prompt", "the prompt is empty: say what you will want to be told")
	}
	its := scheduled{At: at.UTC().Format(time.RFC3339), Session: env.Session, OperationID: "scheduled-" + named(env.Key), Agent: env.Agent, Prompt: a.Prompt}
	prompt, err := json.Marshal(its)
	if err != nil {
		return Result{}, err
	}
	waits := "schedule-" + named(env.Key)
	if err := env.Submit(ctx, Submission{Session: waits, OperationID: "wait", Agent: Scheduler, Prompt: string(prompt)}); err != nil {
		return Result{}, err
	}
	return Result{Output: fmt.Sprintf(`{"at":%q,"session":%q,"operationId":%q}`, its.At, waits, its.OperationID)}, nil
})
