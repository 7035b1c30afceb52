package view

import (
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

// Size is about what the item takes, in bytes.
func (v Item) Size() int {
	const rest = 200
	n := rest
	for _, part := range []*event.Value{v.Text, v.Output} {
		if part != nil {
			n += len(part.Inline())
		}
	}
	if v.Call != nil {
		n += len(v.Call.Arguments.Inline())
	}
	return n
}
