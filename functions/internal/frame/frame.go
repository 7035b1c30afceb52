package frame

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/view"
)

// A Frame is one of this package's types.
type Frame interface{ frameType() string }

// Encode writes a frame.
func Encode(f Frame) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		panic(fmt.Sprintf("frame: %s: %v", f.frameType(), err)) // plain values only
	}
	members := bytes.TrimSuffix(b.Bytes(), []byte("\n"))[1:]
	start := fmt.Sprintf(`{"v":1,"type":%q`, f.frameType())
	if len(members) > 1 {
		start += ","
	}
	return append([]byte(start), members...)
}

// CaughtUp ends the backlog of one subscribe: everything through Seq was posted.
// Head is the session's last seq then. If it is higher, the backlog is longer
// than one answer: subscribe again.
type CaughtUp struct {
	ID        string `json:"id,omitempty"`
	Session   string `json:"session"`
	Operation string `json:"operationId,omitempty"`
	Seq       uint64 `json:"seq"`
	Head      uint64 `json:"head"`
}

func (CaughtUp) frameType() string { return "caught_up" }

// Snapshot lists a session's newest operations.
type Snapshot struct {
	ID         string           `json:"id,omitempty"`
	Session    string           `json:"session"`
	Operations []view.Operation `json:"operations"`
	AsOfSeq    uint64           `json:"asOfSeq"`
}

func (Snapshot) frameType() string { return "snapshot" }

// Fitting is the snapshot without the oldest operations that would make it too
// long.
func (s Snapshot) Fitting() []byte {
	b := Encode(s)
	for len(b) > limit && len(s.Operations) > 0 {
		s.Operations = s.Operations[:len(s.Operations)-1]
		b = Encode(s)
	}
	return b
}

// Result answers a request that asked for something to be done.
type Result struct {
	ID string `json:"id,omitempty"`
	// Receipt is that of a submission.
	Receipt any `json:"receipt,omitempty"`
	// Operation is what became of one that was to be cancelled.
	Operation *view.Operation `json:"operation,omitempty"`
}

func (Result) frameType() string { return "result" }

// Pong holds the last seq of each session that the connection subscribes to.
type Pong struct {
	ID    string            `json:"id,omitempty"`
	Heads map[string]uint64 `json:"heads"`
}

func (Pong) frameType() string { return "pong" }

// Why a connection is closed.
const (
	// Lifetime: connections do not live for ever; open another one.
	Lifetime = "lifetime"
	// Unauthorized: the key that opened it was revoked.
	Unauthorized = "unauthorized"
)

// Closing comes before a close by the server, whose close frame carries no
// reason of ours.
type Closing struct {
	Code   string   `json:"code"`
	Resume []Resume `json:"resume"`
}

func (Closing) frameType() string { return "closing" }

// Resume is a subscription to make again, after the client's own cursor. Head is
// the session's last seq.
type Resume struct {
	Session   string `json:"session"`
	Operation string `json:"operationId,omitempty"`
	Head      uint64 `json:"head"`
}

// Error answers a frame that could not be served. The connection stays open.
type Error struct {
	ID        string     `json:"id,omitempty"`
	Session   string     `json:"session,omitempty"`
	Operation string     `json:"operationId,omitempty"`
	Code      fault.Code `json:"code"`
	Message   string     `json:"message"`
	Retryable bool       `json:"retryable"`
}

func (Error) frameType() string { return "error" }
