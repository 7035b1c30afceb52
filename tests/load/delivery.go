package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"windlass/tests/client"
)

// Files are written at a pace, each of them one event.
const (
	writes = 100
	pace   = time.Second / 20
)

// delivery is from before a write is sent until its event is at each follower: one
// clock, this process's, in which all the followers run, too.
func delivery(ctx context.Context, b *bench) error {
	for _, n := range []int{1, 10, 100} {
		who := fmt.Sprintf("%d followers", n)
		if n == 1 {
			who = "1 follower"
		}
		name := "delivery: a write, " + who
		fmt.Fprintf(b.progress, "  %-36s", name)
		samples, err := b.delivered(ctx, n)
		b.endLine()
		b.derived(row{Name: name, Samples: samples}, err)
		c := curve{Name: who}
		for p := 1; p < 100 && err == nil; p++ {
			at := percentile(samples, p)
			c.Points = append(c.Points, point{float64(p), at, at, at})
		}
		b.draw(pictureDelivery, c)
	}
	return nil
}

// A follower notes when each file's event came; that each comes once is the client's
// promise.
type follower struct {
	got  map[string]time.Time
	full chan struct{}
}

func (f *follower) see(e client.Event, at time.Time) {
	var d struct{ Path string }
	if err := json.Unmarshal(e.Data, &d); err != nil || e.Type != "workspace.written" || d.Path == "/first" {
		return
	}
	f.got[d.Path] = at
	if len(f.got) == writes {
		close(f.full)
	}
}

// delivered are the times of all writes to all followers.
func (b *bench) delivered(ctx context.Context, n int) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	session, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]follower, n)
	for i := range all {
		all[i] = follower{got: map[string]time.Time{}, full: make(chan struct{})}
		w, err := watched(ctx, b.Client, session, all[i].see)
		if err != nil {
			return nil, err
		}
		defer w.close()
	}
	sent, err := b.write(ctx, session)
	if err != nil {
		return nil, err
	}
	return collect(ctx, all, sent)
}

// write sends the files at their pace, and returns when each was sent.
func (b *bench) write(ctx context.Context, session string) (map[string]time.Time, error) {
	sent := map[string]time.Time{}
	tick := time.NewTicker(pace)
	defer tick.Stop()
	var mu sync.Mutex
	var group sync.WaitGroup
	var errs []error
	for i := range writes {
		<-tick.C
		path := fmt.Sprint("/file-", i)
		if i%10 == 0 {
			fmt.Fprint(b.progress, ".")
		}
		sent[path] = time.Now()
		group.Go(func() { // a slow answer does not slow the pace
			if _, _, err := b.PutFile(ctx, session, path, []byte("x"), nil); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	group.Wait()
	return sent, errors.Join(errs...)
}

func collect(ctx context.Context, all []follower, sent map[string]time.Time) (samples []float64, err error) {
	for i, f := range all {
		select {
		case <-f.full:
		case <-ctx.Done():
			return nil, fmt.Errorf("follower %d has not all %d events: %w", i+1, writes, ctx.Err())
		}
		for path, at := range f.got {
			samples = append(samples, ms(at.Sub(sent[path])))
		}
	}
	return samples, nil
}
