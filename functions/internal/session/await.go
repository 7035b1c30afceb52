package session

import (
	"context"
	"time"
)

// Delays between looks of await, and how long one may take.
const (
	firstLook  = 10 * time.Millisecond
	lastLook   = 500 * time.Millisecond
	lookWithin = 2500 * time.Millisecond
)

// await looks, less and less often, until it sees what is awaited, or fails, or
// wait or ctx is over. It looks at least once.
func await(ctx context.Context, wait time.Duration, look func(context.Context) (bool, error)) error {
	end := time.NewTimer(wait)
	defer end.Stop()
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		seen, err := within(ctx, look)
		if err != nil || seen {
			return err
		}
		again := time.NewTimer(pause)
		select {
		case <-end.C:
			again.Stop()
			return nil
		case <-ctx.Done():
			again.Stop()
			return nil
		case <-again.C:
		}
	}
}

func within(ctx context.Context, look func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	return look(ctx)
}
