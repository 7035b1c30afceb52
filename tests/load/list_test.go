package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// A page of 100 out of 10,000 files or sessions, and one file of a long session.
func BenchmarkList(b *testing.B) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	c := s.Client()
	b.Run("files=10000", func(b *testing.B) {
		session := "files"
		run(ctx, b, c, session, `{"rounds":10,"callsPerRound":2000,"toolBytes":16}`)
		pages(ctx, b, c, "/v1/sessions/"+session+"/files?limit=100")
	})
	b.Run("sessions=10000", func(b *testing.B) {
		var all sync.WaitGroup
		for w := range 8 {
			all.Go(func() {
				for i := range 1250 {
					if _, err := c.Submit(ctx, fmt.Sprintf("many-%d-%d", w, i), client.Submission{Prompt: "hello", Agent: "demo"}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		pages(ctx, b, c, "/v1/sessions?limit=100")
	})
	for _, events := range []int{20, 20_000} {
		session := fmt.Sprint("read-", events)
		grow(ctx, b, c, session, events)
		b.Run(fmt.Sprintf("file-read/events=%d", events), func(b *testing.B) {
			var took []time.Duration
			for range max(b.N, 100) {
				took = append(took, timed(b, func() error {
					_, err := c.Raw(ctx, http.MethodGet, "/v1/sessions/"+session+"/files/stress/file-1-0.txt", nil, nil)
					return err
				}))
			}
			b.ReportMetric(ms(took[0]), "ms-first")
			b.ReportMetric(ms(median(took)), "ms-median")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func run(ctx context.Context, b *testing.B, c client.Client, session, load string) {
	b.Helper()
	if _, err := c.Submit(ctx, session, client.Submission{Prompt: load, OperationID: "op", Agent: "stress"}); err != nil {
		b.Fatal(err)
	}
	if o, err := c.Wait(ctx, session, "op"); err != nil || o.Status != "completed" {
		b.Fatalf("%+v, %v", o, err)
	}
}

// pages follows a list from its beginning for up to 100 pages.
func pages(ctx context.Context, b *testing.B, c client.Client, path string) {
	b.Helper()
	var took []time.Duration
	for next := ""; len(took) < 100; {
		var page struct{ NextCursor string }
		took = append(took, timed(b, func() error {
			_, err := c.Do(ctx, http.MethodGet, path+next, nil, &page)
			return err
		}))
		if page.NextCursor == "" {
			break
		}
		next = "&cursor=" + page.NextCursor
	}
	first, n := took[0], len(took)
	b.ReportMetric(ms(first), "ms-first-page")
	b.ReportMetric(ms(median(took)), "ms-page")
	b.ReportMetric(float64(n), "pages")
	b.ReportMetric(0, "ns/op")
}
