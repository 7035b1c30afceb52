package tool

import (
	"context"
	_ "embed"
	"time"
)

// Delegate is the tool by which an agent asks another one. Its calls are not run as
// those of others are: the turn hands them over, and waits.
const Delegate = "delegate"

//go:embed delegate.md
var delegateText string

type delegateArgs struct {
	Agent  string `json:"agent" jsonschema:"which agent to ask"`
	Prompt string `json:"prompt" jsonschema:"the whole task: the other agent sees nothing of this conversation and none of its files"`
}

var delegate = Define(Tool{
	Name: Delegate, Description: delegateText, Effect: Idempotent, Timeout: 30 * time.Second,
}, func(delegateArgs) string { return "" }, func(context.Context, Env, delegateArgs) (Result, error) {
	return Result{}, failf("internal", "a delegated call is handed over, and not run")
})
