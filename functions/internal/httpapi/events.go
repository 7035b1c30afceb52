package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/session"
)

type eventsBody struct {
	Events  []event.Stored `json:"events"`
	LastSeq uint64         `json:"lastSeq"`
}

func (a *API) events(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	after, err := number(r, "after", 0, 0, eventstore.MaxSeq)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", session.DefaultLimit, 1, session.MaxLimit)
	if err != nil {
		return err
	}
	wait, err := number(r, "wait", 0, 0, MaxWait)
	if err != nil {
		return err
	}
	if wait > 0 {
		ctx = r.Context() // waiting may take longer; each look has its own deadline
	}
	q := session.EventQuery{After: after, Limit: int(limit), Operation: r.URL.Query().Get("operationId")}
	p, err := a.Turns.Followed(ctx, stream(r, who), q, time.Duration(wait)*time.Second)
	if err != nil {
		return err
	}
	if p.Next > 0 {
		next := url.Values{"after": {fmt.Sprint(p.Next)}, "limit": {fmt.Sprint(limit)}}
		if q.Operation != "" {
			next.Set("operationId", q.Operation)
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.Path, next.Encode()))
	}
	writeJSON(w, http.StatusOK, eventsBody{p.Events, p.LastSeq})
	return nil
}
