package main

import (
	"fmt"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// Time for one round of two calls, over the length of one turn of 128 rounds.
func BenchmarkRound(b *testing.B) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	warm(b, s)
	rounds := map[int][]time.Duration{}
	var whole []time.Duration
	for i := range max(b.N, 10) {
		session := fmt.Sprint("round-", i)
		if _, err := s.Client().Submit(ctx, session, client.Submission{Prompt: `{"rounds":127,"callsPerRound":2,"toolBytes":256,"answerBytes":64}`, OperationID: "op", Agent: "stress"}); err != nil {
			b.Fatal(err)
		}
		o, err := s.Client().Wait(ctx, session, "op")
		if err != nil || o.Status != "completed" {
			b.Fatalf("%+v, %v", o, err)
		}
		whole = append(whole, o.SettledAt.Sub(*o.StartedAt))
		events, err := s.Client().Events(ctx, session, 0)
		if err != nil {
			b.Fatal(err)
		}
		var last time.Time
		for _, e := range events {
			if e.Type == "model.started" {
				if !last.IsZero() {
					rounds[e.Round/32] = append(rounds[e.Round/32], e.At.Sub(last))
				}
				last = e.At
			}
		}
	}
	b.ReportMetric(ms(median(whole))/127, "ms/round")
	for _, q := range []int{0, 1, 2, 3} {
		b.ReportMetric(ms(median(rounds[q])), fmt.Sprintf("ms/round-in-quarter-%d", q+1))
	}
	b.ReportMetric(0, "ns/op") // the whole, fetching included, says nothing
}

// From the request to the receipt, over one kept-alive connection.
func BenchmarkSubmit(b *testing.B) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	warm(b, s)
	var took []time.Duration
	for i := range max(b.N, 500) {
		began := time.Now()
		if _, err := s.Client().Submit(ctx, fmt.Sprint("submit-", i), client.Submission{Prompt: "hello"}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		if _, err := s.Client().Operation(ctx, fmt.Sprint("submit-", i), "none", 0); err == nil {
			b.Fatal("there is an operation none")
		}
	}
	b.ReportMetric(ms(median(took)), "ms-median")
	b.ReportMetric(ms(percentile(took, 99)), "ms-p99")
	b.ReportMetric(0, "ns/op")
}

// From exec to both listeners accepting, on an empty data directory.
func BenchmarkStart(b *testing.B) {
	s := embedded.Start(b)
	var took []time.Duration
	for range max(b.N, 10) {
		s.Kill()
		began := time.Now()
		s.Restart()
		took = append(took, time.Since(began))
	}
	b.ReportMetric(ms(median(took)), "ms-median")
	b.ReportMetric(0, "ns/op")
}

// Resident memory 30 s after the start on an empty data directory.
func BenchmarkIdleMemory(b *testing.B) {
	s := embedded.Start(b)
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	<-timer.C
	b.ReportMetric(resident(b, s.Endpoints.PID), "MB-resident")
	b.ReportMetric(0, "ns/op")
}

func resident(b *testing.B, pid int) float64 {
	mb, err := memory(pid, "VmRSS")
	if err != nil {
		b.Skipf("resident memory is read from /proc, which is not here: %v", err)
	}
	return mb
}

func warm(b *testing.B, s *embedded.Stack) {
	ctx := embedded.Context(b)
	if _, err := s.Client().Submit(ctx, "warm", client.Submission{Prompt: `{"rounds":50,"callsPerRound":2,"toolBytes":256}`, OperationID: "op", Agent: "stress"}); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Client().Wait(ctx, "warm", "op"); err != nil {
		b.Fatal(err)
	}
}
