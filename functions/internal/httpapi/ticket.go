package httpapi

import (
	"context"
	"net/http"
	"net/url"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

type ticketBody struct {
	Ticket    string     `json:"ticket"`
	URL       string     `json:"url"`
	ExpiresAt event.Time `json:"expiresAt"`
}

// ticket lets its caller open one socket: a browser can send no header with a
// handshake, and a key must not stand in a URL.
func (a *API) ticket(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	var session *string
	if r.ContentLength != 0 { // no body is a ticket for all
		if err := readJSON(r, map[string]any{"session": &session}); err != nil {
			return err
		}
	}
	grant := connection.Grant{Tenant: who.Tenant, Key: who.Key, Until: who.Until}
	if session != nil {
		if grant.Session = *session; !eventstore.ValidID(grant.Session) {
			return fault.New(fault.InvalidRequest, "session is %.140q, which no session is called; leave it out for all of yours", grant.Session)
		}
	}
	ticket, expires, err := a.Tickets.IssueTicket(ctx, grant)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, ticketBody{ticket, a.SocketURL + "?" + url.Values{"ticket": {ticket}}.Encode(), event.At(expires)})
	return nil
}
