package loop

import (
	"context"
	"time"

	"windlass/functions/internal/turn"
)

// wait lets a short time pass, unless the log moves on.
func (d *driver) wait(ctx context.Context, e turn.Wait) error {
	over := time.NewTimer(e.Until.Sub(d.Now()))
	defer over.Stop()
	look := time.NewTicker(d.Limits.LookEvery)
	defer look.Stop()
	for {
		select {
		case <-over.C:
			return nil
		case <-look.C:
			if d.overtaken(ctx) {
				return d.lookAgain(ctx)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
