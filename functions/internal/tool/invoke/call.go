package invoke

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// maxPayload is Lambda's own limit of a request and of a response, in bytes.
const maxPayload = 6 << 20

type call struct {
	invoke   Invoker
	function string
	effect   tool.Effect
	// later is how long a function may take to report; 0 if it has to return its answer.
	later time.Duration
}

// event is what a function receives.
type event struct {
	Arguments      json.RawMessage `json:"arguments"`
	IdempotencyKey string          `json:"idempotencyKey"`
	// CallbackURL is where to report, for one that returns {"deferred": true}.
	CallbackURL string `json:"callbackUrl,omitempty"`
}

func (c call) run(ctx context.Context, env tool.Env, arguments json.RawMessage) (tool.Result, error) {
	e := event{Arguments: arguments, IdempotencyKey: env.Key}
	if c.later > 0 {
		var err error
		if e.CallbackURL, err = env.Callback(ctx); err != nil {
			slog.ErrorContext(ctx, "a callback URL could not be made", "error", err)
			return tool.Result{}, outside.Failf("no_callback", "where to report could not be told, so nothing was called; try again later")
		}
	}
	payload, err := json.Marshal(e)
	if err != nil {
		return tool.Result{}, outside.Failf("invalid_arguments", "the arguments cannot be written as JSON")
	}
	if len(payload) > maxPayload {
		return tool.Result{}, outside.Failf(outside.TooLarge, "the arguments have %d bytes, at most %d can be sent", len(payload), maxPayload)
	}
	watched, sent := outside.Watch(ctx)
	answer, threw, err := c.invoke(watched, c.function, payload)
	if err != nil {
		return tool.Result{}, c.failure(sent, err)
	}
	return c.outcome(answer, threw)
}

func (c call) outcome(answer []byte, threw bool) (tool.Result, error) {
	if threw {
		return tool.Result{}, thrown(answer)
	}
	if len(answer) > maxPayload {
		return tool.Result{Output: "The function ran. What it returned is too large to be shown."}, nil
	}
	var d struct{ Deferred bool }
	if c.later > 0 && json.Unmarshal(answer, &d) == nil && d.Deferred {
		return tool.Result{Later: &tool.Later{For: c.later}}, nil
	}
	return tool.Result{Output: strings.ToValidUTF8(string(answer), "�")}, nil
}
