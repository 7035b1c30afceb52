package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// From an append to the clients that follow it. All of them run in this process, on
// the machine that serves them, and an event counts as arrived once its frame was
// decoded and is next: with 100 of them much of what is measured is theirs.
//
// Paced: 20 files a second are written, each of them one event. One clock, this
// process's: from before the request is sent to the arrival, and from when its answer
// is read (the event is durable then; a frame may be there sooner).
//
// Turn: a turn of 127 rounds whose model takes no time. From the event's own time,
// which is before its append, to the arrival: two processes' clocks, of one machine.
func BenchmarkSocketDelivery(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("paced/subscribers=%d", n), func(b *testing.B) { paced(b, n, max(b.N, 200)) })
		b.Run(fmt.Sprintf("turn/subscribers=%d", n), func(b *testing.B) { turn(b, n) })
	}
}

// arrived is an event at one follower.
type arrived struct {
	client.Event
	at time.Time
}

var errEnough = errors.New("enough")

// followers follow a session, and are ready once they have its first file. The
// result waits until each has seen the last event.
func followers(ctx context.Context, b *testing.B, c client.Client, n int, last func(client.Event) bool) func() [][]arrived {
	b.Helper()
	if _, _, err := c.PutFile(ctx, "s", "/first", []byte("x"), nil); err != nil {
		b.Fatal(err)
	}
	var ready, done sync.WaitGroup
	all := make([][]arrived, n)
	for i := range all {
		ready.Add(1)
		done.Go(func() {
			err := c.Follow(ctx, "s", "", 0, func(e client.Event) error {
				if e.Seq <= 2 {
					if e.Seq == 2 {
						ready.Done()
					}
					return nil
				}
				all[i] = append(all[i], arrived{e, time.Now()})
				if last(e) {
					return errEnough
				}
				return nil
			})
			if !errors.Is(err, errEnough) {
				b.Error(err)
			}
		})
	}
	ready.Wait()
	return func() [][]arrived { done.Wait(); return all }
}

func paced(b *testing.B, n, appends int) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	warm(b, s)
	c := s.Client()
	last := uint64(2 + appends)
	wait := followers(ctx, b, c, n, func(e client.Event) bool { return e.Seq == last })
	sent, answered := make([]time.Time, last+1), make([]time.Time, last+1)
	tick := time.NewTicker(time.Second / 20)
	defer tick.Stop()
	for seq := uint64(3); seq <= last; seq++ {
		<-tick.C
		sent[seq] = time.Now()
		if _, _, err := c.PutFile(ctx, "s", fmt.Sprint("/file-", seq), []byte("x"), nil); err != nil {
			b.Fatal(err)
		}
		answered[seq] = time.Now()
	}
	var whole, behind, answer []time.Duration
	for _, one := range wait() {
		for _, a := range one {
			whole = append(whole, a.at.Sub(sent[a.Seq]))
			behind = append(behind, a.at.Sub(answered[a.Seq]))
		}
	}
	for seq := uint64(3); seq <= last; seq++ {
		answer = append(answer, answered[seq].Sub(sent[seq]))
	}
	both(b, whole, "request-to-event")
	both(b, answer, "request-to-answer")
	both(b, behind, "answer-to-event")
	b.ReportMetric(0, "ns/op")
}

func turn(b *testing.B, n int) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	warm(b, s)
	c := s.Client()
	wait := followers(ctx, b, c, n, func(e client.Event) bool { return e.Type == "operation.completed" })
	run(ctx, b, c, "s", `{"rounds":127,"callsPerRound":2,"toolBytes":256,"answerBytes":64}`)
	var took, ends []time.Duration
	for _, one := range wait() {
		for _, a := range one {
			took = append(took, a.at.Sub(a.At))
		}
		ends = append(ends, took[len(took)-1])
	}
	both(b, took, "event-time-to-event")
	b.ReportMetric(ms(median(ends)), "ms-last-event")
	b.ReportMetric(0, "ns/op")
}

func both(b *testing.B, d []time.Duration, what string) {
	b.ReportMetric(ms(percentile(d, 50)), "ms-"+what+"-median")
	b.ReportMetric(ms(percentile(d, 99)), "ms-"+what+"-p99")
}

// A new client takes in 10,000 events over one socket; and the process's memory before
// the first time and after the last.
func BenchmarkSocketReplay(b *testing.B) {
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	c := s.Client()
	grow(ctx, b, c, "s", 10_000)
	o, err := c.Operations(ctx, "s", 1)
	if err != nil {
		b.Fatal(err)
	}
	last := o[0].LastSeq
	before := resident(b, s.Endpoints.PID)
	var took []time.Duration
	for range max(b.N, 5) {
		took = append(took, timed(b, func() error {
			err := c.Follow(ctx, "s", "", 0, func(e client.Event) error {
				if e.Seq == last {
					return errEnough
				}
				return nil
			})
			if errors.Is(err, errEnough) {
				return nil
			}
			return err
		}))
	}
	b.ReportMetric(float64(last), "events")
	b.ReportMetric(ms(took[0]), "ms-first")
	b.ReportMetric(ms(median(took)), "ms-median")
	b.ReportMetric(before, "MB-before")
	b.ReportMetric(resident(b, s.Endpoints.PID)-before, "MB-growth")
	b.ReportMetric(0, "ns/op")
}

// What 1,000 sockets cost that follow a session in which nothing happens.
func BenchmarkIdleSockets(b *testing.B) {
	const sockets = 1000
	s := embedded.Start(b)
	ctx := embedded.Context(b)
	warm(b, s)
	c := s.Client()
	o, err := c.Operation(ctx, "warm", "op", 0)
	if err != nil {
		b.Fatal(err)
	}
	before := resident(b, s.Endpoints.PID)
	began := time.Now()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range sockets / 8 {
				socket, err := c.Dial(ctx, "")
				if err == nil {
					b.Cleanup(socket.Kill)
					err = socket.Subscribe(ctx, "warm", "", o.LastSeq)
				}
				if err == nil {
					_, err = socket.Until(ctx, "caught_up")
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(ms(time.Since(began))/sockets, "ms-to-open-one")
	b.ReportMetric(before, "MB-before")
	b.ReportMetric(resident(b, s.Endpoints.PID), "MB-after")
	b.ReportMetric(0, "ns/op")
}
