package sweep_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/index"
	"windlass/functions/internal/sweep"
)

// mortal is a process that dies at its n-th call: before it is carried out, or before its
// answer is heard. Nothing that it does afterwards reaches anybody.
type mortal struct {
	mu    sync.Mutex
	n     int
	after bool
	calls int
}

func (m *mortal) call(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	dead := eventstore.Errorf(eventstore.Denied, "call", "the process is dead")
	switch {
	case m.n > 0 && m.calls > m.n, m.calls == m.n && !m.after:
		return dead
	case m.calls == m.n:
		_ = do()
		return dead
	}
	return do()
}

type mortalLog struct {
	*memory.Driver
	m *mortal
}

func (l mortalLog) Records(ctx context.Context, q eventstore.RecordQuery) (page []eventstore.Record, more bool, err error) {
	err = l.m.call(func() (err error) { page, more, err = l.Driver.Records(ctx, q); return err })
	return page, more, err
}

func (l mortalLog) Rows(ctx context.Context, q eventstore.RowQuery) (page []eventstore.Row, more bool, err error) {
	err = l.m.call(func() (err error) { page, more, err = l.Driver.Rows(ctx, q); return err })
	return page, more, err
}

func (l mortalLog) Append(ctx context.Context, w eventstore.Write) error {
	return l.m.call(func() error { return l.Driver.Append(ctx, w) })
}

func (l mortalLog) Erase(ctx context.Context, key eventstore.RowKey) error {
	return l.m.call(func() error { return l.Driver.Erase(ctx, key) })
}

type mortalBlobs struct {
	*memory.Blobs
	m *mortal
}

func (b mortalBlobs) ListBlobs(ctx context.Context, s eventstore.Stream, after string, limit int) (page []eventstore.Blob, more bool, err error) {
	err = b.m.call(func() (err error) { page, more, err = b.Blobs.ListBlobs(ctx, s, after, limit); return err })
	return page, more, err
}

func (b mortalBlobs) EraseBlobs(ctx context.Context, s eventstore.Stream, hashes []string) error {
	return b.m.call(func() error { return b.Blobs.EraseBlobs(ctx, s, hashes) })
}

// mortalLive calls the live table; only what changes it, and what it is changed by.
type mortalLive struct {
	*dynamodb.Client
	m *mortal
}

func (l mortalLive) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (out *dynamodb.DeleteItemOutput, err error) {
	err = l.m.call(func() (err error) { out, err = l.Client.DeleteItem(ctx, in, o...); return err })
	return out, err
}

func (l mortalLive) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (out *dynamodb.TransactWriteItemsOutput, err error) {
	err = l.m.call(func() (err error) { out, err = l.Client.TransactWriteItems(ctx, in, o...); return err })
	return out, err
}

// dying sweeps as that process does.
func (w *world) dying(m *mortal) error {
	j := eventstore.New(mortalLog{w.log, m}, eventstore.WithBlobs(mortalBlobs{w.blobs, m}))
	connections := w.connections()
	connections.Client = mortalLive{w.client, m}
	wake := w.starter(w.Journal).WakeParked
	s := &sweep.Sweeper{
		Journal: j, Now: time.Now, Live: &sweep.Live{Client: mortalLive{w.client, m}, Table: "live", Connections: connections},
		Wake: func(ctx context.Context, of eventstore.Stream) error {
			return m.call(func() error { return wake(ctx, of) })
		},
	}
	return s.Shard(w.t.Context(), index.Shard(stream))
}

// Both sweeps, killed at each of their calls in turn, and again in the one that follows.
func TestASweepThatDiesAnywhereIsMadeGood(t *testing.T) {
	for _, last := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			for n, calls := 1, 2; n < calls; n++ {
				synctest.Test(t, func(t *testing.T) {
					w := lived(t)
					try(t, w.Delete(t.Context(), stream))
					if last {
						w.sweep()
						time.Sleep(sweep.Linger)
					}
					m := &mortal{n: n, after: after}
					if err := w.dying(m); err == nil {
						calls = n // it was over before
						return
					}
					calls = n + 2
					_ = w.dying(&mortal{n: n/2 + 1, after: !after})
					w.sweep()
					time.Sleep(sweep.Linger)
					w.sweep()
					if d := cmp.Diff(tombstone, w.left(stream)); d != "" {
						t.Errorf("the last sweep %t, dead at call %d, carried out %t (-want +got):\n%s", last, n, after, d)
					}
				})
				if n > 500 {
					t.Fatal("it never ends")
				}
			}
		}
	}
}

// Two at once do no more than one.
func TestSweepsMayRunAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lived(t)
		try(t, w.Delete(t.Context(), stream))
		for range 2 {
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if err := w.sweeper().Shard(t.Context(), index.Shard(stream)); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			time.Sleep(sweep.Linger)
		}
		if d := cmp.Diff(tombstone, w.left(stream)); d != "" {
			t.Errorf("left (-want +got):\n%s", d)
		}
	})
}
