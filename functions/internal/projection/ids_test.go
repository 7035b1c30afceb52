package projection_test

import (
	"fmt"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"
)

func TestIDsThatLookLikeOursEndNoSearch(t *testing.T) {
	var items []projection.Item
	add := func(id string) {
		n := len(items) + 1
		items = append(items, projection.Item{N: n, Body: "{}", Item: transcript.Item{Kind: transcript.ToolCall, Origin: "p/m", Call: &event.ToolCall{Index: n - 1, CallID: id, Name: "f"}}})
	}
	for i := range 10 {
		add(fmt.Sprintf("c%d0000011", i))
	}
	add("c00000011")
	messages, _, err := projection.Project(items, projection.Rules{Origin: "p/m"})
	if why := breaks(messages); why != "" || err != nil {
		t.Errorf("%s, %v", why, err)
	}
}
