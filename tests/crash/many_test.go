package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// Fifty sessions of twenty operations each, and a process that is killed again and
// again while they are submitted and driven: every log verifies, and every operation
// is there, in its order, and done.
func TestFiftySessionsOfTwentyOperationsThroughKills(t *testing.T) {
	const sessions, operations, kills = 50, 20, 6
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute) // a quarter of one on an idle machine
	defer cancel()
	s := &server{stack: embedded.Start(t, synced)}
	steps := make(chan struct{}, 2*sessions*operations)
	var all sync.WaitGroup
	for n := range sessions {
		all.Go(func() {
			session := fmt.Sprint("s-", n)
			for i := range operations {
				if !s.insist(ctx, t, func(c client.Client) error {
					_, err := c.Submit(ctx, session, client.Submission{Prompt: load(1, 1, 0), OperationID: fmt.Sprint("op-", i), Agent: "stress"})
					return err
				}) {
					return
				}
				steps <- struct{}{}
			}
			for i := range operations {
				if !s.insist(ctx, t, func(c client.Client) error {
					o, err := c.Wait(ctx, session, fmt.Sprint("op-", i))
					if err == nil && o.Status != "completed" {
						t.Errorf("%s: %+v", session, o)
					}
					return err
				}) {
					return
				}
				steps <- struct{}{}
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	killed := 0
	for next, done := rand.N(2*sessions*operations/kills), false; !done; {
		select {
		case <-steps:
			if next--; next < 0 && killed < kills {
				s.kill()
				killed++
				next = rand.N(2 * sessions * operations / kills)
			}
		case <-ended:
			done = true
		}
	}
	if killed < kills/2 {
		t.Errorf("killed %d times only", killed)
	}
	takeovers := 0
	for n := range sessions {
		events, err := s.client().Events(ctx, fmt.Sprint("s-", n), 0)
		if err != nil {
			t.Fatal(err)
		}
		r := verify(t, events)
		if len(r.Operations) != operations {
			t.Errorf("s-%d: %d operations", n, len(r.Operations))
		}
		for id, op := range r.Operations {
			if op.Status != "completed" || op.Results != 1 || op.Rounds != 2 {
				t.Errorf("s-%d, %s: %+v", n, id, op)
			}
			takeovers += op.Takeovers + op.Generations
		}
	}
	t.Logf("%d kills, %d turns went on in another process", killed, takeovers)
}
