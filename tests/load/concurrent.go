package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"windlass/tests/client"
)

// atOnce is the load of each of many sessions.
var atOnce = of(3, 2, 8<<10)

// concurrent: from the first submission until the last client has its end.
func concurrent(ctx context.Context, b *bench) error {
	b.measure(ctx, row{Name: "concurrent: 32 × 3×2, 8 KB", Goal: 200, Peer: "1340", Fastest: "246–404"}, func(ctx context.Context) (float64, error) {
		return b.together(ctx, 32, atOnce)
	})
	return nil
}

// concurrencyCurve is how many operations a second end, by how many run at once.
func concurrencyCurve(ctx context.Context, b *bench) error {
	c := curve{Name: "3 rounds of 2 calls, 8 KB"}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
		r := b.measure(ctx, row{Name: fmt.Sprintf("throughput: %d at once", n), Unit: "1/s"}, func(ctx context.Context) (float64, error) {
			took, err := b.together(ctx, n, atOnce)
			return float64(n) * 1000 / took, err
		})
		c.add(float64(n), r.Samples)
	}
	b.draw(pictureConcurrency, c)
	return nil
}

// A runner is a client with a session of its own.
type runner struct {
	session, id string
	*watch
	at time.Time
}

// together runs a turn in each of n sessions at once.
func (b *bench) together(ctx context.Context, n int, l load) (float64, error) {
	all := make([]runner, n)
	for i := range all {
		session, err := b.open(ctx)
		if err != nil {
			return 0, err
		}
		w, err := watched(ctx, b.Client, session, nil)
		if err != nil {
			return 0, err
		}
		defer w.close()
		all[i] = runner{session: session, watch: w}
	}
	began := time.Now()
	if err := everyone(all, func(r *runner) (err error) {
		if r.id, err = submit(ctx, b.Client, r.session, client.Submission{Prompt: l.String()}); err == nil {
			r.at, err = r.settled(ctx, r.id)
		}
		return err
	}); err != nil {
		return 0, err
	}
	last := began
	for _, r := range all {
		if r.at.After(last) {
			last = r.at
		}
	}
	return ms(last.Sub(began)), everyone(all, func(r *runner) error { return b.done(ctx, r.session, r.id, l) })
}

// everyone does something for each at the same time.
func everyone(all []runner, do func(*runner) error) error {
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() { errs[i] = do(&all[i]) })
	}
	group.Wait()
	return errors.Join(errs...)
}
