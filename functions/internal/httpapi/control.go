package httpapi

import (
	"context"
	"net/http"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// cancel takes no body: the path says all.
func (a *API) cancel(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	o, err := a.Control.Cancel(ctx, stream(r, who), r.PathValue("operation"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, o)
	return nil
}

func (a *API) steer(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	var text, id *string
	if err := readJSON(r, map[string]any{"text": &text, "messageId": &id}); err != nil {
		return err
	}
	m := session.Message{Trace: caller(r)}
	if text == nil {
		return fault.New(fault.EmptyPrompt, `the body has no "text"; say what the model should read`)
	}
	m.Text = *text
	if id != nil {
		if m.ID = *id; m.ID == "" {
			return fault.New(fault.InvalidRequest, "messageId is empty; leave it out and one is made")
		}
	}
	var err error
	if m.ID, err = idempotencyKey(r, "messageId", m.ID); err != nil {
		return err
	}
	receipt, err := a.Control.Steer(ctx, stream(r, who), r.PathValue("operation"), m)
	if err != nil {
		return triedAs{err, receipt.OperationID}
	}
	writeReceipt(w, receipt)
	return nil
}

// deleteSession ends a session for good.
func (a *API) deleteSession(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	err := a.Control.Delete(ctx, stream(r, who))
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// retain says how long a session is kept.
func (a *API) retain(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	var retention *string
	if err := readJSON(r, map[string]any{"retention": &retention}); err != nil {
		return err
	}
	if retention == nil {
		return fault.New(fault.InvalidRequest, `the body has no "retention", such as "30d", "forever" or "default"`)
	}
	its, err := a.Control.Retain(ctx, stream(r, who), *retention)
	if err == nil {
		writeJSON(w, http.StatusOK, its)
	}
	return err
}
