package loop

import (
	"context"
	"log/slog"
	"time"
)

// noteCheckpoint takes note of one that was stored meanwhile.
func (d *driver) noteCheckpoint() {
	if err := d.session.Saved(); err != nil && d.effects.Err() == nil {
		slog.WarnContext(d.effects, "a checkpoint could not be stored; the next one will be", "session", d.stream.Session, "error", err)
	}
}

// keepWarm leaves the session to whoever drives it next, unless something that was begun
// here still reads it. A checkpoint that is being stored is waited for, since nothing goes
// on when an invocation has ended, and in a session of short turns none would ever be; but
// the next driver does not wait for it.
func (d *driver) keepWarm(ctx context.Context) {
	if len(d.me.Running) > 0 {
		return
	}
	d.session.Beside, d.session.BesideBytes = nil, 0
	if d.asking.written != nil {
		d.session.Beside, d.session.BesideBytes = d.asking, d.asking.written.Bytes()
	}
	saving := d.session.Saving()
	d.Warm.Give(d.session)
	if saving == nil {
		return
	}
	t := time.NewTimer(d.Limits.StoreWait)
	defer t.Stop()
	select {
	case <-saving:
	case <-t.C:
	case <-ctx.Done():
	}
}
