package wsapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/frame"
)

// Lambda answers API Gateway's events. Its errors never reach the gateway, which
// would tell the client about them in words of its own.
func (a *API) Lambda() func(context.Context, events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	return func(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
		id := e.RequestContext.ConnectionID
		status := http.StatusOK
		switch e.RequestContext.EventType {
		case "CONNECT":
			status = a.connect(ctx, id, e.QueryStringParameters["ticket"])
		case "DISCONNECT":
			logged(ctx, "a connection's rows remain until they expire", id, a.Forgetter.Forget(ctx, id))
		default:
			a.message(ctx, id, e)
		}
		return events.APIGatewayProxyResponse{StatusCode: status}, nil
	}
}

// connect exchanges the ticket for a connection. Posting to it is not possible
// before this has returned.
func (a *API) connect(ctx context.Context, id, ticket string) int {
	grant, err := a.Registry.RedeemTicket(ctx, ticket)
	if err == nil {
		now := a.Now()
		err = a.Registry.Open(ctx, connection.Connection{ID: id, Grant: grant, OpenedAt: now, ClosesAt: grant.Ends(now.Add(a.Life))})
	}
	if err == nil {
		return http.StatusOK
	}
	f := fault.Of(err)
	if f.Code != fault.Unauthorized {
		logged(ctx, "a connection could not be opened", id, err)
	}
	return fault.Table[f.Code].Status
}

// How long what is asked for a frame may take, so that its sender hears from us and
// not from the gateway, after 29 seconds. A backlog may be long.
const (
	frameWithin   = 2500 * time.Millisecond
	backlogWithin = 20 * time.Second
)

// message serves one frame of an open connection.
func (a *API) message(ctx context.Context, id string, e events.APIGatewayWebsocketProxyRequest) {
	c, err := a.known(ctx, id)
	switch code := codeOf(err); {
	case code == fault.NotFound: // nobody's any more: it was forgotten, or its rows expired
		logged(ctx, "a connection could not be closed", id, a.Posts.Close(ctx, id))
		return
	case err == nil && !a.Now().Before(c.ClosesAt):
		a.close(ctx, c, frame.Lifetime)
		return
	}
	if codeOf(err) == fault.Unauthorized {
		a.close(ctx, c, frame.Unauthorized)
		return
	}
	r, invalid := read(e)
	if err == nil {
		err = invalid
	}
	if err == nil {
		err = a.within(ctx, c, r)
	}
	if err != nil {
		a.refuse(ctx, id, r, err)
	}
}

// known finds a connection, and whether its key still holds.
func (a *API) known(ctx context.Context, id string) (connection.Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, frameWithin)
	defer cancel()
	c, err := a.Registry.Connection(ctx, id)
	if err == nil && a.Now().Before(c.ClosesAt) {
		err = a.Keys.Valid(ctx, c.Key)
	}
	return c, err
}

func (a *API) within(ctx context.Context, c connection.Connection, r request) error {
	limit := frameWithin
	if r.Type == "subscribe" {
		limit = backlogWithin
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return a.serve(ctx, c, r)
}

func codeOf(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.Of(err).Code
}

func (a *API) refuse(ctx context.Context, id string, r request, err error) {
	f := fault.Of(err)
	class := fault.Table[f.Code]
	if class.Status >= http.StatusInternalServerError {
		logged(ctx, "a frame could not be served", id, err)
	}
	a.post(ctx, id, frame.Encode(frame.Error{
		ID: r.ID, Session: named(r.Session), Operation: named(r.Operation), Code: f.Code, Message: f.Message, Retryable: class.Retryable,
	}))
}

// post sends an answer. If it does not arrive the client asks again, if it is
// still there.
func (a *API) post(ctx context.Context, id string, b []byte) {
	err := a.Posts.Post(ctx, id, b)
	if errors.Is(err, connection.ErrGone) { // $disconnect is not promised to come
		err = a.Forgetter.Forget(ctx, id)
	}
	logged(ctx, "an answer could not be posted", id, err)
}
