package execution_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"windlass/functions/internal/index"
)

// Every minute every shard is swept, once those are woken who wait; what ended badly is
// recovered at once, and has nothing to do with it.
func TestRecoverSweepsEachShardEveryMinute(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	var mu sync.Mutex
	var swept []int
	failed := errors.New("out of reach")
	w.Sweep = func(_ context.Context, shard int) error {
		mu.Lock()
		defer mu.Unlock()
		swept = append(swept, shard)
		if shard == index.Shard(stream) && len(w.m.running()) == 0 {
			t.Error("swept before its sessions were woken")
		}
		if shard == 3 {
			return failed
		}
		return nil
	}
	if err := w.Recover(t.Context(), everyMinute); !errors.Is(err, failed) {
		t.Errorf("%v, want what failed", err)
	}
	slices.Sort(swept)
	for shard := range index.Shards {
		if shard >= len(swept) || swept[shard] != shard {
			t.Fatalf("swept %v, want each of %d once", swept, index.Shards)
		}
	}
	if err := w.Recover(t.Context(), ended(firstOfA, "FAILED")); err != nil || len(swept) != index.Shards {
		t.Errorf("%v, %d sweeps", err, len(swept))
	}
}
