package tool

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

//go:embed submit_prompt.md
var submitPromptText string

type submitArgs struct {
	Session     string `json:"session" jsonschema:"the session's id"`
	Prompt      string `json:"prompt" jsonschema:"what to say there"`
	Agent       string `json:"agent,omitempty" jsonschema:"which agent; the session's own if absent"`
	OperationID string `json:"operationId,omitempty" jsonschema:"the operation's id; made if absent"`
}

var submitPrompt = Define(Tool{
	Name: "submit_prompt", Description: submitPromptText, Effect: Idempotent, Timeout: 30 * time.Second,
}, func(a submitArgs) string { return "session:" + a.Session }, func(ctx context.Context, env Env, a submitArgs) (Result, error) {
	if a.OperationID == "" {
		a.OperationID = "submitted-" + named(env.Key)
	}
	if strings.TrimSpace(a.Prompt) == "" {
		return Result{}, failf("empty_prompt", "the prompt is empty")
	}
	if err := env.Submit(ctx, Submission(a)); err != nil {
		return Result{}, err
	}
	return Result{Output: fmt.Sprintf(`{"session":%q,"operationId":%q}`, a.Session, a.OperationID)}, nil
})

// named is an id that follows from a call's key.
func named(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}
