package loop

import (
	"context"
	"log/slog"
	"time"

	"windlass/functions/internal/fold"
)

// stored is what came of storing a checkpoint.
type stored struct {
	checkpoint fold.Stored
	err        error
}

// noteCheckpoint takes note of one that was stored meanwhile, for the next commit's
// summary. It never waits: a checkpoint is a cache.
func (d *driver) noteCheckpoint() {
	if !d.saving {
		return
	}
	select {
	case s := <-d.saved:
		d.note(s)
	default:
	}
}

func (d *driver) note(s stored) {
	d.saving = false
	if s.err == nil {
		d.session.Checkpointed(s.checkpoint)
	} else if d.effects.Err() == nil {
		slog.WarnContext(d.effects, "a checkpoint could not be stored; the next one will be", "session", d.stream.Session, "error", s.err)
	}
}

// awaitCheckpoint waits a little for one that is being stored, and returns whether none
// is any more.
func (d *driver) awaitCheckpoint(ctx context.Context) bool {
	if !d.saving {
		return true
	}
	t := time.NewTimer(d.Limits.StoreWait)
	defer t.Stop()
	select {
	case s := <-d.saved:
		d.note(s)
	case <-t.C:
	case <-ctx.Done():
	}
	return !d.saving
}

// beginCheckpoint begins to store one when it is time, beside the turn.
func (d *driver) beginCheckpoint() {
	if d.saving || !d.session.CheckpointDue() {
		return
	}
	d.saving = true
	store := d.session.Checkpoint(d.Journal)
	go func() {
		c, err := store(d.effects)
		d.saved <- stored{c, err}
	}()
}
