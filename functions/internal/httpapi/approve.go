package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"windlass/eventstore/event"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// approve answers a question of policy.
func (a *API) approve(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	var decision, note *string
	var arguments *json.RawMessage
	if err := readJSON(r, map[string]any{"decision": &decision, "note": &note, "arguments": &arguments}); err != nil {
		return err
	}
	answer := session.Answer{Note: given(note)}
	if answer.Decision = given(decision); answer.Decision != event.Approve && answer.Decision != event.Deny {
		return fault.New(fault.InvalidRequest, `"decision" is approve or deny`)
	}
	if arguments != nil {
		answer.Arguments = string(*arguments)
	}
	return a.decide(ctx, w, r, who, answer)
}

// reconcile tells what became of a call whose outcome is unknown.
func (a *API) reconcile(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	var outcome, result *string
	var unknown *uint64
	if err := readJSON(r, map[string]any{"outcome": &outcome, "result": &result, "unknownSeq": &unknown}); err != nil {
		return err
	}
	answer := session.Answer{Decision: given(outcome), Result: given(result)}
	if answer.Decision != event.Happened && answer.Decision != event.DidNotHappen {
		return fault.New(fault.InvalidRequest, `"outcome" is happened or did_not_happen`)
	}
	if unknown != nil {
		if answer.UnknownSeq = *unknown; answer.UnknownSeq == 0 {
			return fault.New(fault.InvalidRequest, `"unknownSeq" is the seq of an event`)
		}
	}
	return a.decide(ctx, w, r, who, answer)
}

func (a *API) decide(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller, answer session.Answer) error {
	answer.By = who.Name()
	o, err := a.Control.Decide(ctx, stream(r, who), r.PathValue("operation"), r.PathValue("step"), answer)
	if err == nil {
		writeJSON(w, http.StatusOK, o)
	}
	return err
}

func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
