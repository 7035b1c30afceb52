package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"windlass/tests/client"
)

// How the long life is made: sessions that grow some at a time, each by so many
// operations before it waits for them; and how many at the end are measured.
const (
	longSessions = submitSessions
	longAtOnce   = 4
	longBatch    = 50
	longMeasured = 1000
)

// longLife is the receipt of the last thousand of very many operations.
func longLife(ctx context.Context, b *bench) error {
	n := max(b.operations, 2*longMeasured)
	n -= n % longSessions
	r := row{Name: fmt.Sprintf("submit: at the %dth operation", n), Goal: 0.7, P99Goal: 3, Peer: "1–3", Fastest: "0.5–0.7"}
	all, want, err := b.audience(ctx)
	defer func() {
		for _, one := range all {
			one.close()
		}
	}()
	if err == nil {
		err = b.age(ctx, all, n-longMeasured)
	}
	for i := 0; i < longMeasured && err == nil; i++ {
		var took float64
		took, err = b.acknowledged(ctx, &all[i%len(all)], want)
		r.Samples = append(r.Samples, took)
	}
	if err == nil {
		err = b.counted(ctx, all, n)
	}
	b.endLine()
	b.derived(r, err)
	return nil
}

// age makes n operations, as many in each session.
func (b *bench) age(ctx context.Context, all []runner, n int) error {
	var made atomic.Int64
	work := make(chan *runner)
	errs := make([]error, longAtOnce)
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for w := range errs {
		group.Go(func() {
			for r := range work {
				if errs[w] == nil {
					errs[w] = b.grow(ctx, r, n/len(all), &made)
				}
				if errs[w] != nil {
					cancel()
				}
			}
		})
	}
	for i := range all {
		work <- &all[i]
	}
	close(work)
	group.Wait()
	return errors.Join(errs...)
}

// grow adds operations to one session, batch by batch.
func (b *bench) grow(ctx context.Context, r *runner, n int, made *atomic.Int64) error {
	for left := n; left > 0; {
		batch := min(left, longBatch)
		var id string
		var err error
		for range batch {
			if id, err = submit(ctx, b.Client, r.session, client.Submission{Prompt: least.String()}); err != nil {
				return err
			}
		}
		if err := b.over(ctx, r, id); err != nil {
			return err
		}
		left -= batch
		if m := made.Add(int64(batch)); m%1000 == 0 {
			fmt.Fprintf(b.progress, "  %d operations\n", m)
		}
	}
	return nil
}

func (b *bench) over(ctx context.Context, r *runner, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := r.settled(ctx, id)
	return err
}

// counted looks whether all of them are there, and completed.
func (b *bench) counted(ctx context.Context, all []runner, n int) error {
	began, sum := time.Now(), 0
	for _, r := range all {
		operations, err := b.Operations(ctx, r.session, 100)
		if err != nil {
			return err
		}
		for _, o := range operations {
			if o.Status != "completed" {
				return fmt.Errorf("%s: %s", o.OperationID, o.Status)
			}
		}
		sum += len(operations)
	}
	fmt.Fprintf(b.progress, "  %d operations, counted in %.0f s\n", sum, time.Since(began).Seconds())
	if sum != n {
		return fmt.Errorf("there are %d operations, not %d", sum, n)
	}
	return nil
}
