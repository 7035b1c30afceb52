package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// ask subscribes after what the caller has seen.
func (f *Follower) ask(ctx context.Context, s *Socket) error {
	f.n++
	f.asking, f.heard, f.moved = true, time.Now(), time.Now()
	sub := map[string]any{"type": "subscribe", "id": fmt.Sprint(f.n), "session": f.Session, "after": f.cursor.At}
	if f.Operation != "" {
		sub["operationId"] = f.Operation
	}
	return s.Send(ctx, sub)
}

// How long a gap may stay, and an answer be out, before it asks again.
const (
	gapPatience    = 100 * time.Millisecond
	answerPatience = 2 * time.Second
)

// look asks again for what does not come, and whether anything was missed. Live
// frames come without an answer, too: only one that moves the cursor may be of it.
func (f *Follower) look(ctx context.Context, s *Socket) error {
	switch {
	case f.asking && time.Since(f.moved) > answerPatience,
		!f.asking && f.cursor.Gap() && time.Since(f.moved) > gapPatience:
		return f.ask(ctx, s)
	case !f.asking && time.Since(f.heard) > f.Quiet:
		f.heard = time.Now()
		return s.Send(ctx, map[string]any{"type": "ping"})
	}
	return nil
}

func (f *Follower) frame(ctx context.Context, s *Socket, fr Frame) error {
	f.heard = time.Now()
	if f.Frame != nil {
		f.Frame(s, fr)
	}
	switch {
	case fr.Type == "events" && fr.Session == f.Session && fr.OperationID == f.Operation:
		return f.events(ctx, fr)
	case fr.Type == "preview" && fr.Session == f.Session:
		f.preview(fr)
	case fr.Type == "caught_up" && fr.ID == fmt.Sprint(f.n):
		f.asking = false
		return f.reach(ctx, s, fr.Head)
	case fr.Type == "pong":
		return f.reach(ctx, s, fr.Heads[f.Session])
	case fr.Type == "closing": // if the key is refused, so is the next ticket
		return errLost
	case fr.Type == "error" && !fr.Retryable:
		return final{fmt.Errorf("client: %s: %s", fr.Code, fr.Message)}
	}
	return nil // a retryable error is like no answer: look asks again
}

func (f *Follower) preview(fr Frame) {
	if p, ok := f.shown.Take(fr); ok && f.Preview != nil {
		f.Preview(p)
	}
}

// reach asks again if the log goes on behind the cursor.
func (f *Follower) reach(ctx context.Context, s *Socket, head uint64) error {
	if head <= f.cursor.At || f.asking {
		return nil
	}
	return f.ask(ctx, s)
}

// events shows what is next. The cursor is given each event as it came.
func (f *Follower) events(ctx context.Context, fr Frame) error {
	raws, err := fr.RawEvents()
	if err != nil {
		return err
	}
	for i, raw := range raws {
		f.shown.See(fr.Events[i]) // its data is the event's own until the next line
		fr.Events[i].Data = raw
	}
	at := f.cursor.At
	next := f.cursor.Take(fr)
	if f.cursor.At > at {
		f.moved = time.Now()
	}
	for _, e := range next {
		raw, err := f.fetched(ctx, e.Data)
		var seen Event // of its own: raw must stay as it came
		if err == nil {
			err = json.Unmarshal(raw, &seen)
		}
		if err != nil { // it comes again, on the next connection
			f.cursor.At = e.Seq - 1
			return refused(err)
		}
		if !f.asking {
			f.live++
		}
		if err := f.See(seen, raw); err != nil {
			return final{err}
		}
	}
	return nil
}

// fetched is the event, or the one that it says where to fetch.
func (f *Follower) fetched(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if f.Apart {
		return raw, nil
	}
	var e struct{ Fetch string }
	if err := json.Unmarshal(raw, &e); err != nil || e.Fetch == "" {
		return raw, err
	}
	var page struct{ Events []json.RawMessage }
	if _, err := f.Client().Do(ctx, http.MethodGet, e.Fetch, nil, &page); err != nil {
		return nil, err
	}
	if len(page.Events) != 1 {
		return nil, fmt.Errorf("client: %s has %d events, not one", e.Fetch, len(page.Events))
	}
	return page.Events[0], nil
}
