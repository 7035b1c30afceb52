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
	// Files are those of a prompt, or the one that a model made.
	Files []File `json:"files,omitempty"`
}

// ItemOf shows the nth item. What only its own provider can read is not shown; an item
// that is nothing else keeps its place.
func ItemOf(n uint64, it transcript.Item) Item {
	v := Item{N: n, Kind: it.Kind, Call: it.Call, Error: it.Error, Files: FilesOf(it.Files)}
	switch it.Kind {
	case transcript.User, transcript.Text, transcript.Reasoning:
		v.Text = &it.Text
	case transcript.ToolResult:
		if it.Error == nil {
			v.Output = &it.Output
		}
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
