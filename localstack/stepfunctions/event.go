package stepfunctions

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// maxEvents is how long a history may get; the last event is then the failure.
const maxEvents = 25_000

// event is one event of a history as it is stored. Its id follows from its place.
type event struct {
	Type      string `json:"y"`
	At        millis `json:"a"`
	Name      string `json:"n,omitempty"`
	Resource  string `json:"r,omitempty"`
	Error     string `json:"e,omitempty"`
	Cause     string `json:"c,omitempty"`
	Timeout   int64  `json:"t,omitempty"` // seconds
	Heartbeat int64  `json:"h,omitempty"` // seconds
	Payload   int    `json:"p,omitempty"` // number, from 1, of its text in the batch
	text      []byte // input, output or parameters
}

// A batch is the events of one transition: a framed head and then the texts. One
// state's output is the next one's input, so equal texts are stored once.
type batchHead struct {
	Events []event `json:"e"`
	Sizes  []int   `json:"s,omitempty"`
}

func encodeBatch(events []event) ([]byte, error) {
	head := batchHead{Events: make([]event, len(events))}
	var texts [][]byte
	size := 0
	for i, e := range events {
		if e.text != nil {
			if e.Payload = indexOf(texts, e.text) + 1; e.Payload == 0 {
				texts = append(texts, e.text)
				head.Sizes = append(head.Sizes, len(e.text))
				size += len(e.text)
				e.Payload = len(texts)
			}
		}
		head.Events[i] = e
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	batch := make([]byte, 0, binary.MaxVarintLen64+len(text)+size)
	batch = append(binary.AppendUvarint(batch, uint64(len(text))), text...)
	for _, t := range texts {
		batch = append(batch, t...)
	}
	return batch, nil
}

// indexOf looks from the end: a text mostly repeats the one before it.
func indexOf(texts [][]byte, text []byte) int {
	for i := len(texts) - 1; i >= 0; i-- {
		if bytes.Equal(texts[i], text) {
			return i
		}
	}
	return -1
}

// decodeBatch returns events whose texts are slices of batch.
func decodeBatch(batch []byte) ([]event, error) {
	text, rest, err := unframe(batch)
	if err != nil {
		return nil, err
	}
	var head batchHead
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("a history is damaged: %w", err)
	}
	texts := make([][]byte, len(head.Sizes))
	for i, size := range head.Sizes {
		if size < 0 || size > len(rest) {
			return nil, fmt.Errorf("a history is cut short")
		}
		texts[i], rest = rest[:size], rest[size:]
	}
	for i := range head.Events {
		e := &head.Events[i]
		if e.Payload < 0 || e.Payload > len(texts) {
			return nil, fmt.Errorf("a history is damaged")
		}
		if e.Payload > 0 {
			e.text = texts[e.Payload-1]
		}
	}
	return head.Events, nil
}
