package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// maxWhole bounds an answer that comes in one piece.
const maxWhole = 2 * wire.MaxAnswer

// errEnough: nobody wants more of the answer.
var errEnough = errors.New("chat: enough")

// reader reads one answer and hands its parts on.
type reader struct {
	key    string
	yield  func(model.Part, error) bool
	answer answer

	// reason is the last finish_reason, usage the last that came: some servers give it
	// with every chunk, and it grows.
	reason string
	usage  *usage
	// settled: the usage came with the finish_reason or behind it. alone: it came in a
	// chunk of its own, behind all that was said.
	settled, alone bool
	// last is the whole message, if there was one.
	last *said
}

// read hands on what comes until the answer ends, or says why it did not. Servers
// that do not stream are known by what they send: not all of them say so.
func (r *reader) read(res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	body := bufio.NewReader(res.Body)
	if first(body) == '{' {
		return r.whole(body)
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{body, res.Body}
	events := ssestream.NewDecoder(res)
	seen := false
	for events.Next() {
		seen = true
		e := events.Event()
		switch data := bytes.TrimSpace(e.Data); {
		case len(data) == 0:
		case string(data) == "[DONE]":
			return r.end()
		default:
			if err := r.event(e.Type, data); err != nil {
				return err
			}
		}
	}
	return r.closed(events.Err(), seen || kind == "text/event-stream")
}

// first is the byte that a body begins with, behind blanks.
func first(b *bufio.Reader) byte {
	for {
		c, err := b.ReadByte()
		switch {
		case err != nil:
			return 0
		case c != ' ' && c != '\n' && c != '\r' && c != '\t':
			_ = b.UnreadByte()
			return c
		}
	}
}

// closed says what the end of the connection means, without [DONE].
func (r *reader) closed(err error, streamed bool) error {
	var known *model.Fault
	switch {
	case r.reason != "" && (err == nil || r.settled), err == nil && r.alone:
		return r.end()
	case errors.Is(err, bufio.ErrTooLong):
		return wire.ErrTooLarge
	case errors.As(err, &known):
		return err
	case err == nil && !streamed:
		return wire.ErrNoAnswer
	}
	return wire.ErrBrokeOff
}

func (r *reader) whole(body io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(body, maxWhole+1))
	var known *model.Fault
	switch {
	case len(b) > maxWhole:
		return wire.ErrTooLarge
	case errors.As(err, &known):
		return err
	case err != nil:
		return wire.ErrBrokeOff
	}
	var c chunk
	if err := json.Unmarshal(b, &c); err != nil {
		return wire.ErrUnreadable
	}
	if c.Choices == nil && !c.wrong() {
		return wire.ErrNoAnswer
	}
	if err := r.chunk(c, b); err != nil {
		return err
	}
	if r.last == nil {
		return wire.ErrBrokeOff
	}
	return r.end()
}

// event reads one event. An error may come as one of its own kind, or inside any.
func (r *reader) event(kind string, data []byte) error {
	if kind == "error" {
		return r.complain(data)
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return wire.ErrUnreadable
	}
	return r.chunk(c, data)
}

// wrong: the chunk is, or has, an error.
func (c *chunk) wrong() bool { return wire.Given(c.Error) || c.Object == "error" }

func (r *reader) chunk(c chunk, data []byte) error {
	if c.wrong() {
		return r.complain(data)
	}
	for i := range c.Choices {
		if c.Choices[i].Index == 0 { // others are other answers
			r.choice(&c.Choices[i])
		}
	}
	r.count(c.Usage)
	r.alone = c.Usage != nil && len(c.Choices) == 0 && (r.answer.said || len(r.answer.calls.all) > 0)
	return r.flush()
}

func (r *reader) choice(c *choice) {
	r.answer.add(c.Delta, false)
	if c.Message != nil {
		r.last = c.Message
	}
	if s := finished(c.Finish); s != "" {
		r.reason = s
	}
	r.count(c.Usage)
}

func (r *reader) count(u *usage) {
	if u == nil {
		return
	}
	if r.settled = r.reason != ""; r.usage == nil || *u != (usage{}) {
		r.usage = u
	}
}

// end hands on what is left, and how the answer ended.
func (r *reader) end() error {
	if f := failures[r.reason]; f != nil {
		return f
	}
	r.answer.complete(r.last)
	if r.reason == "" && r.answer.calls.broken() {
		return wire.ErrBrokeOff
	}
	stop := stops[r.reason]
	called := r.answer.finish(stop != "")
	if err := r.flush(); err != nil {
		return err
	}
	switch {
	case r.answer.refused:
		stop = model.StopRefusal
	case stop != "":
	case called:
		stop = model.StopTools
	default:
		stop = model.StopEnd
	}
	r.yield(model.Part{Stop: stop, Usage: r.usage.tokens()}, nil)
	return nil
}

// flush hands on what may be.
func (r *reader) flush() error {
	if r.answer.tooLarge() {
		return wire.ErrTooLarge
	}
	for _, p := range r.answer.take() {
		if !r.yield(p, nil) {
			return errEnough
		}
	}
	return nil
}

func (r *reader) complain(data []byte) error {
	c := wire.ReadComplaint(data)
	status := c.Status()
	return c.Fault(status, c.Said(status, r.key))
}
