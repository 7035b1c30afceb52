package frame

import (
	"encoding/json"
	"fmt"

	"windlass/eventstore/event"
)

// Max is how long a frame may be, in bytes: API Gateway's quota for a message.
const Max = 128 << 10

// Limit is [Max], but for tests, that need not write so much.
var limit = Max

// head is what stands around a frame's events: two ids of 128 bytes, two seqs.
const head = 512

// An eventsHead is the frame but for its events.
type eventsHead struct {
	Session   string `json:"session"`
	Operation string `json:"operationId,omitempty"`
	From      uint64 `json:"from"`
	To        uint64 `json:"to"`
}

func (eventsHead) frameType() string { return "events" }

// Events are the frames that bring the seqs from..to, in order: each covers the
// seqs behind those of the frame before, together they cover all. events are the
// session's in that range; with an operation those of others are left out, and
// their seqs covered all the same, so that a cursor goes on.
//
// An event that fits into no frame is sent without its data, and says where to
// fetch it.
func Events(session, operation string, from, to uint64, events []event.Stored) ([][]byte, error) {
	var frames [][]byte
	var body []byte
	covered := from - 1
	flush := func(last uint64) {
		frames = append(frames, eventsFrame(eventsHead{session, operation, covered + 1, last}, body))
		covered, body = last, nil
	}
	for _, e := range events {
		if operation != "" && e.Operation != operation {
			continue
		}
		b, err := one(session, e)
		if err != nil {
			return nil, err
		}
		if len(body) > 0 && len(body)+1+len(b) > limit-head {
			flush(e.Seq - 1)
		}
		if len(body) > 0 {
			body = append(body, ',')
		}
		body = append(body, b...)
	}
	if covered < to {
		flush(to)
	}
	return frames, nil
}

func eventsFrame(h eventsHead, body []byte) []byte {
	b := Encode(h)
	b = append(b[:len(b)-1], `,"events":[`...)
	return append(append(b, body...), "]}"...)
}

func one(session string, e event.Stored) ([]byte, error) {
	if len(e.JSON) <= limit-head {
		return e.JSON, nil
	}
	var a apart
	if err := json.Unmarshal(e.JSON, &a); err != nil {
		return nil, err
	}
	a.Fetch = fmt.Sprintf("/v1/sessions/%s/events?after=%d&limit=1", session, a.Seq-1)
	return json.Marshal(a)
}

// apart is an event that is fetched by HTTP.
type apart struct {
	Seq       uint64     `json:"seq"`
	Type      string     `json:"type"`
	Version   int        `json:"v"`
	At        event.Time `json:"at"`
	Operation string     `json:"operationId,omitempty"`
	Round     int        `json:"round,omitempty"`
	Fetch     string     `json:"fetch"`
}
