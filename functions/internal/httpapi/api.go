package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/console"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/openapi"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// Deadline is what all AWS calls of one request share; well under the gateway's
// 29 seconds, so that a client hears from us and not from it.
const Deadline = 2500 * time.Millisecond

// turns, files, lists, transfers and control are what the API needs of package
// session.
type turns interface {
	Submit(context.Context, eventstore.Stream, session.Submission) (session.Receipt, error)
	Settled(ctx context.Context, stream eventstore.Stream, operation string, wait time.Duration) (view.Operation, error)
	Followed(ctx context.Context, stream eventstore.Stream, q session.EventQuery, wait time.Duration) (session.EventPage, error)
}

type files interface {
	ReadFile(context.Context, eventstore.Stream, session.FileRead) (session.FileContent, error)
	PutFile(context.Context, eventstore.Stream, session.FileWrite) (session.FileWritten, error)
	DeleteFile(context.Context, eventstore.Stream, session.FileWrite) error
}

type lists interface {
	Operations(context.Context, eventstore.Stream, session.ListQuery) (session.OperationPage, error)
	Session(context.Context, eventstore.Stream) (view.Session, error)
	Sessions(ctx context.Context, tenant string, q session.ListQuery) (session.SessionPage, error)
	Files(ctx context.Context, stream eventstore.Stream, prefix string, q session.ListQuery) (session.FilePage, error)
}

type transfers interface {
	Upload(context.Context, eventstore.Stream, session.UploadRequest) (session.Upload, error)
	Blob(ctx context.Context, stream eventstore.Stream, sha256, method string) (string, error)
	Transcript(context.Context, eventstore.Stream, session.TranscriptQuery) (session.TranscriptPage, error)
}

type control interface {
	Cancel(ctx context.Context, stream eventstore.Stream, operation string) (view.Operation, error)
	Steer(ctx context.Context, stream eventstore.Stream, operation string, m session.Message) (session.Receipt, error)
	Decide(ctx context.Context, stream eventstore.Stream, operation, step string, a session.Answer) (view.Operation, error)
	Delete(context.Context, eventstore.Stream) error
	Retain(ctx context.Context, stream eventstore.Stream, retention string) (view.Session, error)
	CalledBack(ctx context.Context, at callback.Step, r session.CallResult) (accepted bool, err error)
}

// keys finds whose a request is.
type keys interface {
	Caller(ctx context.Context, authorization string) (auth.Caller, error)
}

// tickets opens sockets.
type tickets interface {
	IssueTicket(context.Context, connection.Grant) (ticket string, expiresAt time.Time, err error)
}

// API is the HTTP API, and the page that shows it.
type API struct {
	Turns     turns
	Files     files
	Lists     lists
	Transfers transfers
	Control   control
	Keys      keys
	Tickets   tickets
	Callbacks callbacks
	// SocketURL is where sockets are opened, without a ticket.
	SocketURL string
	// Console answers what [console.Serves]; nil for none.
	Console http.Handler
}

// New is the API of a service.
func New(s *session.Service, k keys, t tickets, c callbacks, socketURL string, page http.Handler) *API {
	return &API{s, s, s, s, s, k, t, c, socketURL, page}
}

// route answers a request of a caller; an error becomes a problem. ctx ends at
// the request's [Deadline], r's own does not.
type route func(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error

// Handler serves all routes.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /openapi.json", openapi.Serve)
	mux.HandleFunc("POST /v1/callbacks/{token}", a.called)
	mux.Handle("POST /v1/tickets", a.keyed(a.ticket))
	mux.Handle("POST /v1/sessions/{session}/operations", a.keyed(a.submit))
	mux.Handle("GET /v1/sessions/{session}/operations/{operation}", a.keyed(a.operation, "wait"))
	mux.Handle("POST /v1/sessions/{session}/operations/{operation}/cancel", a.keyed(a.cancel))
	mux.Handle("POST /v1/sessions/{session}/operations/{operation}/approvals/{step}", a.keyed(a.approve))
	mux.Handle("POST /v1/sessions/{session}/operations/{operation}/reconcile/{step}", a.keyed(a.reconcile))
	mux.Handle("POST /v1/sessions/{session}/operations/{operation}/steer", a.keyed(a.steer))
	mux.Handle("GET /v1/sessions/{session}/operations", a.keyed(a.operations, "limit", "cursor"))
	mux.Handle("GET /v1/sessions/{session}/events", a.keyed(a.events, "after", "limit", "operationId", "wait"))
	mux.Handle("GET /v1/sessions/{session}/transcript", a.keyed(a.transcript, "after", "limit"))
	mux.Handle("GET /v1/sessions", a.keyed(a.sessions, "limit", "cursor"))
	mux.Handle("GET /v1/sessions/{session}", a.keyed(a.session))
	mux.Handle("DELETE /v1/sessions/{session}", a.keyed(a.deleteSession))
	mux.Handle("PUT /v1/sessions/{session}/retention", a.keyed(a.retain))
	mux.Handle("POST /v1/sessions/{session}/uploads", a.keyed(a.upload))
	mux.Handle("GET /v1/sessions/{session}/blobs/{sha256}", a.keyed(a.blob))
	mux.Handle("GET /v1/sessions/{session}/files", a.keyed(a.files, "prefix", "limit", "cursor"))
	mux.Handle("GET /v1/sessions/{session}/files/{path...}", a.keyed(a.readFile))
	mux.Handle("PUT /v1/sessions/{session}/files/{path...}", a.keyed(a.putFile, "upload"))
	mux.Handle("DELETE /v1/sessions/{session}/files/{path...}", a.keyed(a.deleteFile))
	return a.pages(a.elsewhere(mux))
}

// pages are for people, and the same for everybody: they need no key.
func (a *API) pages(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Console != nil && console.Serves(r) {
			a.Console.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// keyed lets a request in that has a key. Its query may hold these parameters: an
// unknown one is refused, because a misspelt one would be taken for its absence.
func (a *API) keyed(next route, query ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), Deadline)
		defer cancel()
		who, err := a.Keys.Caller(ctx, r.Header.Get("Authorization"))
		if err == nil {
			err = known(r, query)
		}
		if err == nil {
			err = next(ctx, w, r, who)
		}
		if err != nil {
			writeProblem(w, r, err)
		}
	})
}

func known(r *http.Request, names []string) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault.New(fault.InvalidRequest, "the query string is malformed")
	}
	for name := range query {
		if !slices.Contains(names, name) {
			return fault.New(fault.InvalidRequest, "the query has a parameter %.60q that this route does not know; a ? in a path is written %%3F", name)
		}
	}
	return nil
}

// elsewhere answers what no route does with a problem too. Without a key nobody
// learns which routes there are.
func (a *API) elsewhere(mux *http.ServeMux) http.Handler {
	methods := []string{http.MethodDelete, http.MethodGet, http.MethodPost, http.MethodPut}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if routed(mux, r) {
			mux.ServeHTTP(w, r)
			return
		}
		r.URL.RawQuery = "" // there is nothing for it to mean
		a.keyed(func(_ context.Context, w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
			var allowed []string
			for _, m := range methods {
				other := r.Clone(r.Context())
				other.Method = m
				if routed(mux, other) {
					allowed = append(allowed, m)
					if m == http.MethodGet {
						allowed = append(allowed, http.MethodHead)
					}
				}
			}
			if len(allowed) > 0 {
				w.Header().Set("Allow", strings.Join(allowed, ", "))
				return fault.New(fault.MethodNotAllowed, "send %s to %.200q", strings.Join(allowed, " or "), r.URL.Path)
			}
			return fault.New(fault.NotFound, "there is no route %.200q", r.URL.Path)
		}).ServeHTTP(w, r)
	})
}

// routed reports whether a route answers. The mux would also redirect a path that
// only lacks a slash at its end, which the path grammar refuses.
func routed(mux *http.ServeMux, r *http.Request) bool {
	h, pattern := mux.Handler(r)
	_, ours := h.(http.HandlerFunc)
	return pattern != "" && ours
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client is gone, or v is ours
}

func stream(r *http.Request, who auth.Caller) eventstore.Stream {
	return eventstore.Stream{Tenant: who.Tenant, Session: r.PathValue("session")}
}
