package anthropic

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// maxWhole bounds an answer that comes in one piece, in bytes.
const maxWhole = 2 * wire.MaxAnswer

// reader reads one answer.
type reader struct {
	key string
	answer
}

// read hands on what comes until the answer ends, or says why it did not. What may
// stand behind the end is not read.
func (r *reader) read(res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "application/json" { // a server that does not stream
		return r.whole(res.Body)
	}
	events := ssestream.NewDecoder(res)
	seen := false
	for events.Next() {
		seen = true
		e := events.Event()
		if string(e.Data) == "[DONE]\n" {
			break // says nothing of how the answer ended
		}
		if end, err := r.event(e.Type, e.Data); err != nil || end {
			return err
		}
	}
	err := events.Err()
	var f *model.Fault
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return wire.ErrTooLarge
	case errors.As(err, &f):
		return f
	case err == nil && !seen && kind != "text/event-stream":
		return wire.ErrNoAnswer
	}
	return wire.ErrBrokeOff
}

func (r *reader) whole(body io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(body, maxWhole+1))
	var f *model.Fault
	switch {
	case len(b) > maxWhole:
		return wire.ErrTooLarge
	case errors.As(err, &f):
		return f
	case err != nil:
		return wire.ErrBrokeOff
	}
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return wire.ErrUnreadable
	}
	switch {
	case wire.Given(m.Error):
		return r.complain(b)
	case m.Type != "message" && m.Content == nil:
		return wire.ErrNoAnswer
	}
	for i, block := range m.Content {
		if err := r.begin(i, block); err != nil {
			return err
		}
		if err := r.close(); err != nil {
			return err
		}
	}
	r.stop = string(m.StopReason)
	r.usage.update(m.Usage)
	return r.end()
}

// event reads one event. Its type stands in its JSON; servers may leave either that
// or the event line out. What is not known is passed over.
func (r *reader) event(kind string, data []byte) (end bool, err error) {
	if kind == "ping" {
		return false, nil
	}
	var e streamEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, wire.ErrUnreadable
	}
	if kind == "error" || e.Type == "error" || e.Type == "" && wire.Given(e.Error) {
		return false, r.complain(data)
	}
	if e.Type != "" {
		kind = string(e.Type)
	}
	switch kind {
	case "message_start":
		return false, r.began(e.Message)
	case "content_block_start":
		return false, r.begin(int(e.Index), e.Block)
	case "content_block_delta":
		return false, r.add(int(e.Index), e.Delta)
	case "content_block_stop":
		return false, r.ended(int(e.Index))
	case "message_delta":
		return false, r.told(e)
	case "message_stop":
		return true, r.end()
	}
	return false, nil
}

func (r *reader) began(raw json.RawMessage) error {
	if !wire.Given(raw) {
		return nil
	}
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return wire.ErrUnreadable
	}
	r.usage.update(m.Usage)
	return nil
}

// ended closes the block that a server says has ended, if it is under way.
func (r *reader) ended(index int) error {
	if r.block == nil || r.block.index != index {
		return nil
	}
	return r.close()
}

// told takes how the answer ends, and what it cost.
func (r *reader) told(e streamEvent) error {
	r.usage.update(e.Usage)
	if !wire.Given(e.Delta) {
		return nil
	}
	var d delta
	if err := json.Unmarshal(e.Delta, &d); err != nil {
		return wire.ErrUnreadable
	}
	if d.StopReason != "" {
		r.stop = string(d.StopReason)
	}
	return nil
}

func (r *reader) complain(data []byte) error {
	c := wire.ReadComplaint(data)
	return c.Fault(c.Status(), c.Said(0, r.key))
}
