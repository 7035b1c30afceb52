package wsapi

import (
	"cmp"
	"context"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/frame"
	"windlass/functions/internal/session"
)

// serve does what a frame asks, and posts the answer. An error is answered by the
// caller.
func (a *API) serve(ctx context.Context, c connection.Connection, r request) error {
	if r.Type == "ping" {
		return a.ping(ctx, c, r)
	}
	if c.Session != "" && r.Session != c.Session {
		return fault.New(fault.NotFound, "this connection's ticket is for session %s alone", c.Session)
	}
	stream := eventstore.Stream{Tenant: c.Tenant, Session: r.Session}
	switch r.Type {
	case "subscribe":
		return a.subscribe(ctx, c, stream, r)
	case "unsubscribe":
		return a.unsubscribe(ctx, c, r)
	case "submit":
		return a.submit(ctx, c, stream, r)
	case "cancel":
		return a.cancel(ctx, c, stream, r)
	case "steer":
		return a.steer(ctx, c, stream, r)
	default:
		return a.snapshot(ctx, c, stream, r)
	}
}

func (a *API) submit(ctx context.Context, c connection.Connection, stream eventstore.Stream, r request) error {
	input, err := r.parts()
	if err != nil {
		return err
	}
	receipt, err := a.Sessions.Submit(ctx, stream, session.Submission{Prompt: *r.Prompt, Input: input, OperationID: r.Operation, Agent: r.Agent, IfBusy: r.IfBusy})
	if err != nil {
		r.Operation = cmp.Or(receipt.OperationID, r.Operation) // what to send again
		a.refuse(ctx, c.ID, r, err)
		return nil
	}
	a.post(ctx, c.ID, frame.Encode(frame.Result{ID: r.ID, Receipt: receipt}))
	return nil
}

func (a *API) cancel(ctx context.Context, c connection.Connection, stream eventstore.Stream, r request) error {
	o, err := a.Control.Cancel(ctx, stream, r.Operation)
	if err != nil {
		return err
	}
	o.Output = nil // it may be longer than a frame; a snapshot over HTTP has it
	a.post(ctx, c.ID, frame.Encode(frame.Result{ID: r.ID, Operation: &o}))
	return nil
}

func (a *API) steer(ctx context.Context, c connection.Connection, stream eventstore.Stream, r request) error {
	receipt, err := a.Control.Steer(ctx, stream, r.Operation, session.Message{Text: *r.Text, ID: r.Message})
	if err != nil {
		return err
	}
	a.post(ctx, c.ID, frame.Encode(frame.Result{ID: r.ID, Receipt: receipt}))
	return nil
}

// listed is how many operations a snapshot frame has at most.
const listed = 50

func (a *API) snapshot(ctx context.Context, c connection.Connection, stream eventstore.Stream, r request) error {
	p, err := a.Sessions.Operations(ctx, stream, session.ListQuery{Limit: listed})
	if err != nil {
		return err
	}
	a.post(ctx, c.ID, frame.Snapshot{ID: r.ID, Session: r.Session, Operations: p.Operations, AsOfSeq: p.AsOfSeq}.Fitting())
	return nil
}

func (a *API) unsubscribe(ctx context.Context, c connection.Connection, r request) error {
	if !eventstore.ValidID(r.Session) || r.Operation != "" && !eventstore.ValidID(r.Operation) {
		return nowhere(r)
	}
	if err := a.Subscriptions.Unsubscribe(ctx, c, connection.Subscription{Session: r.Session, Operation: r.Operation}); err != nil {
		return err
	}
	a.post(ctx, c.ID, frame.Encode(frame.Result{ID: r.ID}))
	return nil
}

func nowhere(r request) error {
	return fault.New(fault.NotFound, "session and operationId take 1 to %d of A-Z a-z 0-9 . _ : - and are not . or ..: nothing is called otherwise", eventstore.MaxID)
}

// ping says where the logs end that the connection follows: whoever is behind
// subscribes again.
func (a *API) ping(ctx context.Context, c connection.Connection, r request) error {
	resume, err := a.heads(ctx, c)
	if err != nil {
		return err
	}
	pong := frame.Pong{ID: r.ID, Heads: map[string]uint64{}}
	for _, s := range resume {
		pong.Heads[s.Session] = s.Head
	}
	a.post(ctx, c.ID, frame.Encode(pong))
	return nil
}

// heads are the connection's subscriptions, with their sessions' last seqs.
func (a *API) heads(ctx context.Context, c connection.Connection) ([]frame.Resume, error) {
	subs, err := a.Subscriptions.Subscriptions(ctx, c)
	if err != nil {
		return nil, err
	}
	heads := map[string]uint64{}
	all := []frame.Resume{}
	for _, s := range subs {
		if _, ok := heads[s.Session]; !ok {
			heads[s.Session], err = a.Replay.Head(ctx, eventstore.Stream{Tenant: c.Tenant, Session: s.Session})
			if err != nil && codeOf(err) != fault.NotFound { // a session that is not there yet ends at 0
				return nil, err
			}
		}
		if head := heads[s.Session]; head > 0 {
			all = append(all, frame.Resume{Session: s.Session, Operation: s.Operation, Head: head})
		}
	}
	return all, nil
}

// close ends a connection, and says why and where to go on.
func (a *API) close(ctx context.Context, c connection.Connection, code string) {
	resume, err := a.heads(ctx, c)
	logged(ctx, "a closing connection's heads could not be read", c.ID, err)
	if resume == nil {
		resume = []frame.Resume{}
	}
	a.post(ctx, c.ID, frame.Encode(frame.Closing{Code: code, Resume: resume}))
	logged(ctx, "a connection could not be closed", c.ID, a.Posts.Close(ctx, c.ID))
	logged(ctx, "a connection's rows remain until they expire", c.ID, a.Forgetter.Forget(ctx, c.ID))
}
