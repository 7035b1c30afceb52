package eventstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"windlass/eventstore/event"
)

// Stream names one session's log.
type Stream struct {
	// Tenant owns the data; it begins every key.
	Tenant string
	// Session is unique within the tenant.
	Session string
}

func (s Stream) String() string { return s.Tenant + "/" + s.Session }

func (s Stream) valid() error {
	for _, id := range []string{s.Tenant, s.Session} {
		if !ValidID(id) {
			return Errorf(Invalid, "stream", "%q is not an id: want 1 to %d of A-Z a-z 0-9 . _ : -, and not . or ..", id, MaxID)
		}
	}
	return nil
}

// ValidID reports whether s can stand in a key and in a path: 1 to [MaxID] of
// A-Z a-z 0-9 . _ : -, and neither "." nor "..".
func ValidID(s string) bool {
	if s == "" || len(s) > MaxID || s == "." || s == ".." {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("._:-", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// Record is a commit as a driver stores it.
type Record struct {
	Stream Stream
	// First and Last are the seqs of its first and last event.
	First, Last uint64
	// ID is the commit's own, a ULID. Retries keep it.
	ID string
	// By names the driver of the turn that wrote it; empty for anybody else.
	By string
	// At is when it was first sent.
	At time.Time
	// Wake asks for the session to be looked at: something may have to start.
	Wake bool
	// Settles: something that was under way has ended with it.
	Settles bool
	// Closed ends the stream: no commit follows.
	Closed bool
	// Summary is the writer's digest of the log so far, opaque here.
	Summary []byte
	// Body is the JSON array of its events.
	Body []byte
}

// Commit is a record with its events decoded.
type Commit struct {
	Record
	Events []event.Event
	// after is kept apart from Last, which anybody may write.
	after Position
}

// After is the position behind a commit that was read or appended.
func (c Commit) After() Position { return c.after }

// Position is where the next event goes: the end of a commit, or an empty
// stream's beginning. Only a read or an append gives one, so none can point
// into a commit or beyond the end.
type Position struct {
	stream Stream
	last   uint64
	given  bool
	closed bool
}

// Seq is the last event's seq at this position; 0 for an empty stream.
func (p Position) Seq() uint64 { return p.last }

// Closed reports whether the stream ends here for good.
func (p Position) Closed() bool { return p.closed }

// behind is the position behind a record that is the end, or was.
func behind(r Record) Position { return Position{r.Stream, r.Last, true, r.Closed} }

// Claim is a key that must be unique in its stream, such as an operationId.
// Claims are never released.
type Claim struct {
	Key string `json:"key"`
	// Fingerprint tells a repeated claim from a different one.
	Fingerprint string `json:"fingerprint"`
	// First is the seq of the claiming event, filled by [Journal.Append].
	First uint64 `json:"first"`
	// Event is the claiming event's index in its commit.
	Event int `json:"-"`
}

// Row is a small document that is read without the log and moved by commits.
type Row struct {
	RowKey
	// Kind says what it is, such as "operation".
	Kind string
	// Data is its JSON. Empty deletes the row.
	Data []byte
}

// RowKey orders rows within a partition, by Sort's bytes.
type RowKey struct{ Partition, Sort string }

func encodeBody(events []event.Event) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, e := range events {
		if i > 0 {
			b.WriteByte(',')
		}
		e.Seq = 0 // follows from the commit's place
		j, err := e.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(j)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

func decode(r Record) (Commit, error) {
	var events []event.Event
	if err := json.Unmarshal(r.Body, &events); err != nil {
		return Commit{}, Errorf(Corrupt, "read", "%s at seq %d: %w", r.Stream, r.First, err)
	}
	if r.First == 0 || uint64(len(events)) != r.Last-r.First+1 {
		return Commit{}, Errorf(Corrupt, "read", "%s at seq %d: holds %d events, says it ends at %d", r.Stream, r.First, len(events), r.Last)
	}
	number(events, r.First, r.By)
	return Commit{Record: r, Events: events, after: behind(r)}, nil
}

func number(events []event.Event, first uint64, by string) {
	for i := range events {
		events[i].Seq, events[i].By = first+uint64(i), by
	}
}

// SeqKey writes a seq so that keys sort as seqs do: 16 digits, because 2^53 - 1,
// the largest integer that every JSON reader keeps, has 16.
func SeqKey(seq uint64) string { return fmt.Sprintf("%016d", seq) }
