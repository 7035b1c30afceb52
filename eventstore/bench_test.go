package eventstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
)

// The Journal's part of a round's two commits: encoding and checking them, over a driver
// that keeps them in memory. The results of its two calls are of this size.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{256, 8 << 10} {
		b.Run(fmt.Sprint(size, " B"), func(b *testing.B) {
			j := eventstore.New(memory.New())
			_, at, err := j.Head(b.Context(), session)
			if err != nil {
				b.Fatal(err)
			}
			in := func(data event.Payload) event.Event {
				return event.Event{At: event.At(time.Unix(0, 0)), Operation: "op-1", Round: 1, Data: data}
			}
			call := func(i int) event.ModelItem {
				return event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: "c", Name: "workspace_read", Arguments: event.Text(`{"path":"/a"}`)}}
			}
			result := func(i int) event.Event {
				return in(event.ToolCompleted{Index: i, CallID: "c", Name: "workspace_read", Output: event.Text(strings.Repeat("x", size))})
			}
			answer := eventstore.Draft{Events: []event.Event{in(event.ModelCompleted{Items: []event.ModelItem{call(0), call(1)}}), in(event.ToolStarted{Index: 0}), in(event.ToolStarted{Index: 1})}}
			results := eventstore.Draft{Events: []event.Event{result(0), result(1), in(event.ModelStarted{Attempt: 1})}}
			b.ReportAllocs()
			b.SetBytes(int64(2 * size))
			for b.Loop() {
				for _, d := range []eventstore.Draft{answer, results} {
					if _, at, err = j.Append(b.Context(), at, d); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
