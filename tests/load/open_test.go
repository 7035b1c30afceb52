package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// What it costs to open a session, by its length: a snapshot, a page of events, the
// first append of a Drive (from accepted to started), and a whole turn of one round,
// whose model is shown the whole transcript.
func BenchmarkOpen(b *testing.B) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	c := s.Client()
	for _, events := range []int{20, 2_000, 20_000} {
		session := fmt.Sprint("open-", events)
		grow(ctx, b, c, session, events)
		b.Run(fmt.Sprintf("events=%d", events), func(b *testing.B) {
			var snapshot, page, started, turn []time.Duration
			for i := range max(b.N, 50) {
				id := fmt.Sprint("turn-", i)
				if _, err := c.Submit(ctx, session, client.Submission{Prompt: "hello", OperationID: id, Agent: "demo"}); err != nil {
					b.Fatal(err)
				}
				o, err := c.Wait(ctx, session, id)
				if err != nil {
					b.Fatal(err)
				}
				started = append(started, o.StartedAt.Sub(o.AcceptedAt))
				turn = append(turn, o.SettledAt.Sub(o.AcceptedAt))
				snapshot = append(snapshot, timed(b, func() error { _, err := c.Operation(ctx, session, "grow-0", 0); return err }))
				page = append(page, timed(b, func() error {
					_, err := c.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/events?limit=10&after=%d", session, events/2), nil, nil)
					return err
				}))
			}
			b.ReportMetric(ms(median(snapshot)), "ms-snapshot")
			b.ReportMetric(ms(median(page)), "ms-page")
			b.ReportMetric(ms(median(started)), "ms-accepted-to-started")
			b.ReportMetric(ms(median(turn)), "ms-accepted-to-settled")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// grow runs turns until the session has about so many events.
func grow(ctx context.Context, b *testing.B, c client.Client, session string, events int) {
	b.Helper()
	for i, last := 0, uint64(0); last < uint64(events); i++ {
		rounds := min(126, (events-int(last))/7)
		id := fmt.Sprint("grow-", i)
		if _, err := c.Submit(ctx, session, client.Submission{Prompt: fmt.Sprintf(`{"rounds":%d,"callsPerRound":2,"toolBytes":200}`, rounds), OperationID: id, Agent: "stress"}); err != nil {
			b.Fatal(err)
		}
		o, err := c.Wait(ctx, session, id)
		if err != nil || o.Status != "completed" {
			b.Fatalf("%+v, %v", o, err)
		}
		last = o.LastSeq
	}
}

func timed(b *testing.B, f func() error) time.Duration {
	b.Helper()
	began := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
