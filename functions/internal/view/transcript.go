package view

import (
	"encoding/json"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

// Item is one entry of a transcript, the same for every provider.
type Item struct {
	// N counts a session's items, from 1.
	N      uint64          `json:"n"`
	Kind   transcript.Kind `json:"kind"`
	Text   *event.Value    `json:"text,omitempty"`
	Call   *event.ToolCall `json:"call,omitempty"`
	Output *event.Value    `json:"output,omitempty"`
	Error  *event.Error    `json:"error,omitempty"`
}

// ItemOf shows the nth item.
func ItemOf(n uint64, it transcript.Item) Item {
	v := Item{N: n, Kind: it.Kind, Call: it.Call, Error: it.Error}
	switch {
	case it.Kind == transcript.ToolResult && it.Error == nil:
		v.Output = &it.Output
	case it.Kind != transcript.ToolResult && it.Kind != transcript.ToolCall:
		v.Text = &it.Text
	}
	return v
}

// Size is what the item takes in an answer, in bytes: as JSON some text is six
// times as long.
func (v Item) Size() int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0 // it will not be written either
	}
	return len(b) + 1
}
