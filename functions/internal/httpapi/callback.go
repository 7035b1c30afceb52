package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"windlass/eventstore/event"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// callbacks read the tokens of callback URLs.
type callbacks interface {
	Step(ctx context.Context, token string) (callback.Step, error)
}

// called takes what became of a call that ended elsewhere. Whoever has the URL may tell;
// they learn nothing of the session.
func (a *API) called(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), Deadline)
	defer cancel()
	at, err := a.Callbacks.Step(ctx, r.PathValue("token"))
	if err == nil {
		err = known(r, nil)
	}
	var result session.CallResult
	if err == nil {
		result, err = callResult(r)
	}
	var accepted bool
	if err == nil {
		accepted, err = a.Control.CalledBack(ctx, at, result)
	}
	if err != nil {
		writeProblem(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]bool{"accepted": accepted})
}

// callResult reads a report: an output, which the model reads as it is if it is a
// string, and as JSON otherwise; or an error.
func callResult(r *http.Request) (result session.CallResult, err error) {
	var output, failure json.RawMessage
	if err := readJSON(r, map[string]any{"output": &output, "error": &failure}); err != nil {
		return result, err
	}
	switch {
	case (output == nil) == (failure == nil):
		return result, fault.New(fault.InvalidRequest, `the body is {"output": …} or {"error": {"code": …, "message": …}}`)
	case output != nil && bytes.HasPrefix(output, []byte(`"`)):
		return result, json.Unmarshal(output, &result.Output)
	case output != nil:
		result.Output = string(output)
		return result, nil
	}
	its := event.Error{Code: "tool_failed"}
	if err := json.Unmarshal(failure, &its); err != nil || its.Code == "" || its.Message == "" {
		return result, fault.New(fault.InvalidRequest, `"error" is an object with a "message", and a "code" if there is one`)
	}
	result.Error = &its
	return result, nil
}
