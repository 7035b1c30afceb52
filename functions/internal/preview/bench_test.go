package preview_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/preview"
)

// crowd are followers that take everything at once.
type crowd []connection.Subscriber

func (c crowd) SomeSubscribers(context.Context, eventstore.Stream, int32) ([]connection.Subscriber, error) {
	return c, nil
}
func (crowd) Put(context.Context, eventstore.Stream, preview.Row) (bool, error) { return true, nil }
func (crowd) Post(context.Context, string, []byte) error                        { return nil }
func (crowd) Valid(context.Context, string) error                               { return nil }

// What a chunk costs the turn. Models say some hundred a second; here they come as fast
// as they are taken.
func BenchmarkAdd(b *testing.B) {
	chunk := strings.Repeat("chunk ", 7)
	for _, n := range []int{0, 1, 64} {
		b.Run(fmt.Sprintf("followers=%d", n), func(b *testing.B) {
			var all crowd
			for i := range n {
				all = append(all, connection.Subscriber{Connection: fmt.Sprint("c", i), Key: "k", ClosesAt: time.Now().Add(time.Hour)})
			}
			v := preview.New(all, all, all, all, time.Now).Begin(b.Context(), stream, step)
			defer v.End()
			for b.Loop() {
				v.Add("text", chunk)
			}
		})
	}
}
