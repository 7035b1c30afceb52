package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// listQuery reads limit and cursor.
func listQuery(r *http.Request, limit, most uint64) (session.ListQuery, error) {
	n, err := number(r, "limit", limit, 1, most)
	if err != nil {
		return session.ListQuery{}, err
	}
	cursors := r.URL.Query()["cursor"]
	if len(cursors) > 1 {
		return session.ListQuery{}, fault.New(fault.InvalidRequest, "send one cursor")
	}
	q := session.ListQuery{Limit: int(n)}
	if len(cursors) == 1 {
		if q.Cursor = cursors[0]; q.Cursor == "" {
			return q, fault.New(fault.InvalidRequest, "the cursor is empty; leave it out for the first page")
		}
	}
	return q, nil
}

// linkNext links to the next page, with the rest of the query as it is.
func linkNext(w http.ResponseWriter, r *http.Request, cursor string) {
	if cursor != "" {
		q := r.URL.Query()
		q.Set("cursor", cursor)
		w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.EscapedPath(), q.Encode()))
	}
}

func (a *API) operations(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	q, err := listQuery(r, session.DefaultRows, session.MaxRows)
	if err != nil {
		return err
	}
	p, err := a.Lists.Operations(ctx, stream(r, who), q)
	if err != nil {
		return err
	}
	linkNext(w, r, p.Next)
	writeJSON(w, http.StatusOK, struct {
		Operations []view.Operation `json:"operations"`
		AsOfSeq    uint64           `json:"asOfSeq"`
		NextCursor string           `json:"nextCursor,omitempty"`
	}{p.Operations, p.AsOfSeq, p.Next})
	return nil
}

func (a *API) sessions(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	q, err := listQuery(r, session.DefaultRows, session.MaxRows)
	if err != nil {
		return err
	}
	p, err := a.Lists.Sessions(ctx, who.Tenant, q)
	if err != nil {
		return err
	}
	linkNext(w, r, p.Next)
	writeJSON(w, http.StatusOK, struct {
		Sessions   []view.Session `json:"sessions"`
		NextCursor string         `json:"nextCursor,omitempty"`
	}{p.Sessions, p.Next})
	return nil
}

func (a *API) session(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	s, err := a.Lists.Session(ctx, stream(r, who))
	if err == nil {
		writeJSON(w, http.StatusOK, s)
	}
	return err
}

func (a *API) transcript(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	after, err := number(r, "after", 0, 0, 1<<53-1)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", session.DefaultLimit, 1, session.MaxLimit)
	if err != nil {
		return err
	}
	p, err := a.Transfers.Transcript(ctx, stream(r, who), session.TranscriptQuery{After: after, Limit: int(limit)})
	if err != nil {
		return err
	}
	if p.Next > 0 {
		next := url.Values{"after": {fmt.Sprint(p.Next)}, "limit": {fmt.Sprint(limit)}}
		w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.EscapedPath(), next.Encode()))
	}
	writeJSON(w, http.StatusOK, struct {
		Items   []view.Item `json:"items"`
		AsOfSeq uint64      `json:"asOfSeq"`
	}{p.Items, p.AsOfSeq})
	return nil
}
