package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Payload is the part of an event that differs by type.
type Payload interface {
	// EventType is the event's name, such as "operation.accepted".
	EventType() string
	// EventVersion is the version of the payload's JSON, from 1.
	EventVersion() int
}

// Event is one thing that happened in a session.
//
// JSON: {"seq","type","v","at","operationId"?,"round"?,"data"}. Stored events
// have no "seq": it follows from their commit's place in the log.
type Event struct {
	// Seq is the event's place in its session, dense from 1; 0 before it is stored.
	Seq uint64
	// At is when its writer decided it, in microseconds, UTC. Order is Seq's alone.
	At Time
	// Operation is the operationId it belongs to; empty for the session's own.
	Operation string
	// Round is the model round it belongs to, from 1; 0 for none.
	Round int
	// By names the driver whose commit holds it; empty for everybody else. It
	// stands in the commit, not in the event's JSON.
	By string
	// Data says what happened.
	Data Payload
}

// envelope is an event as it is read.
type envelope struct {
	Seq       uint64          `json:"seq"`
	Type      string          `json:"type"`
	Version   int             `json:"v"`
	At        Time            `json:"at"`
	Operation string          `json:"operationId"`
	Round     int             `json:"round"`
	Data      json.RawMessage `json:"data"`
}

// MarshalJSON writes the envelope and the payload. The envelope is written by hand: a
// payload may be large, and encoding it within another value would read it all again.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Data == nil {
		return nil, fmt.Errorf("event: seq %d has no payload", e.Seq)
	}
	data, err := encode(e.Data)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(data)+len(e.Operation)+160)
	b = append(b, '{')
	if e.Seq != 0 {
		b = append(strconv.AppendUint(append(b, `"seq":`...), e.Seq, 10), ',')
	}
	if b, err = appendText(append(b, `"type":`...), e.Data.EventType()); err != nil {
		return nil, err
	}
	b = strconv.AppendInt(append(b, `,"v":`...), int64(e.Data.EventVersion()), 10)
	b = append(e.At.UTC().AppendFormat(append(b, `,"at":"`...), TimeLayout), '"')
	if e.Operation != "" {
		if b, err = appendText(append(b, `,"operationId":`...), e.Operation); err != nil {
			return nil, err
		}
	}
	if e.Round != 0 {
		b = strconv.AppendInt(append(b, `,"round":`...), int64(e.Round), 10)
	}
	return append(append(append(b, `,"data":`...), data...), '}'), nil
}

func appendText(b []byte, s string) ([]byte, error) {
	quoted, err := encode(s)
	return append(b, quoted...), err
}

// UnmarshalJSON reads what MarshalJSON wrote. A type or version that this build
// does not know becomes an [Unknown]; a known one that does not fit is an error.
func (e *Event) UnmarshalJSON(b []byte) error {
	var v envelope
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	if v.Type == "" || v.Version < 1 {
		return fmt.Errorf("event: type %q, v %d: both are required", v.Type, v.Version)
	}
	data, err := decode(v.Type, v.Version, v.Data)
	if err != nil {
		return fmt.Errorf("event: %s v%d: %w", v.Type, v.Version, err)
	}
	*e = Event{Seq: v.Seq, At: v.At, Operation: v.Operation, Round: v.Round, Data: data}
	return nil
}

// Unknown is an event written by a newer build. Folds pass over it.
type Unknown struct {
	Name    string
	Version int
	Raw     json.RawMessage
}

func (u Unknown) EventType() string            { return u.Name }
func (u Unknown) EventVersion() int            { return u.Version }
func (u Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// encode is json.Marshal without its escapes for HTML: the log is read by
// people too, and "<" costs one byte, not six.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Time is an instant in microseconds, UTC, written as RFC 3339 with six decimals.
type Time struct{ time.Time }

// TimeLayout is how every time in the log and the API is written.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// At cuts t to what the log keeps of it.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(TimeLayout) + `"`), nil
}

func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	p, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("time %q: want RFC 3339, such as 2026-01-02T15:04:05.000000Z", s)
	}
	*t = At(p)
	return nil
}
