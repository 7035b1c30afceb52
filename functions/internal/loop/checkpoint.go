package loop

import (
	"log/slog"

	"windlass/functions/internal/fold"
)

// A checkpoint is made every so many commits, or bytes of them: opening the
// session never folds much more than that.
const (
	checkpointCommits = 64
	checkpointBytes   = 1 << 20
)

// stored is what came of storing a checkpoint.
type stored struct {
	checkpoint fold.Stored
	err        error
}

// checkpoint takes note of one that was stored, for the next commit's summary, and
// begins to store another when it is time. It never waits: a checkpoint is a cache.
func (d *driver) checkpoint() {
	if d.saving {
		select {
		case s := <-d.saved:
			d.saving = false
			if s.err == nil {
				d.session.Checkpointed(s.checkpoint)
			} else if d.effects.Err() == nil {
				slog.WarnContext(d.effects, "a checkpoint could not be stored; the next one will be", "session", d.stream.Session, "error", s.err)
			}
		default:
			return
		}
	}
	if s := d.session; s.Commits < checkpointCommits && s.Bytes < checkpointBytes || !s.Checkpointable() {
		return
	}
	d.saving = true
	store := d.session.Checkpoint(d.Journal)
	go func() {
		c, err := store(d.effects)
		d.saved <- stored{c, err}
	}()
}
