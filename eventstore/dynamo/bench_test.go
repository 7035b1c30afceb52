package dynamo_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
)

// benchmark measures what a turn does all the time, over any backend.
func benchmark(b *testing.B, d eventstore.Driver) {
	for _, size := range []int{2 << 10, 20 << 10, 300 << 10} {
		body := []byte(`["` + strings.Repeat("x", size) + `"]`)
		b.Run(fmt.Sprintf("append alone, %d KB", size>>10), func(b *testing.B) {
			s, n := stream(), uint64(0)
			for b.Loop() {
				n++
				try(b, d.Append(b.Context(), eventstore.Write{Record: record(s, n, body)}))
			}
		})
	}
	body := []byte(`["` + strings.Repeat("x", 2<<10) + `"]`)
	b.Run("append with claim and 2 rows, 2 KB", func(b *testing.B) {
		s, n := stream(), uint64(0)
		for b.Loop() {
			n++
			w := eventstore.Write{Record: record(s, n, body), Claim: &eventstore.Claim{Key: fmt.Sprint("op-", n), First: n}}
			for _, sort := range []string{"operation", "session"} {
				w.Rows = append(w.Rows, eventstore.Row{RowKey: eventstore.RowKey{Partition: s.String(), Sort: sort}, Kind: "bench", Data: []byte("{}")})
			}
			try(b, d.Append(b.Context(), w))
		}
	})
	for _, commits := range []uint64{20, 2000} {
		s := stream()
		for n := range commits {
			try(b, d.Append(b.Context(), eventstore.Write{Record: record(s, n+1, body)}))
		}
		for _, c := range []struct {
			name string
			q    eventstore.RecordQuery
		}{
			{"head", eventstore.RecordQuery{Stream: s, From: eventstore.MaxSeq, Descending: true, Limit: 1}},
			{"read the last 10", eventstore.RecordQuery{Stream: s, From: commits - 9, Limit: math.MaxInt32}},
		} {
			b.Run(fmt.Sprintf("%s of %d commits", c.name, commits), func(b *testing.B) {
				for b.Loop() {
					_, _, err := d.Records(b.Context(), c.q)
					try(b, err)
				}
			})
		}
	}
}

func stream() eventstore.Stream {
	return eventstore.Stream{Tenant: "bench", Session: ulid.Make().String()}
}

func record(s eventstore.Stream, first uint64, body []byte) eventstore.Record {
	return eventstore.Record{Stream: s, First: first, Last: first, ID: ulid.Make().String(), At: time.Unix(0, 0).UTC(), Body: body}
}

func try(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}
