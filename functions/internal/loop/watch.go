package loop

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"windlass/functions/internal/turn"
)

// errOvertaken ends an effect whose outcome nobody waits for any more.
var errOvertaken = errors.New("loop: the log has moved on")

// watch looks at the log while an effect runs, and ends it if it was overtaken. The
// caller stops watching with done, which says whether it was.
func (d *driver) watch(ctx context.Context) (effect context.Context, done func() bool) {
	effect, cancel := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		look := time.NewTicker(d.Limits.LookEvery)
		defer look.Stop()
		for {
			select {
			case <-effect.Done():
				return
			case <-look.C:
				if d.overtaken(effect) {
					cancel(errOvertaken)
				}
			}
		}
	}()
	return effect, func() bool {
		cancel(nil)
		<-stopped
		return context.Cause(effect) == errOvertaken
	}
}

// overtaken reports whether somebody asked for the turn to end, or another driver
// goes on with it. Whoever else appends concerns the next decision, not this effect.
func (d *driver) overtaken(ctx context.Context) bool {
	head, at, err := d.Journal.Head(ctx, d.stream)
	if err != nil || at.Seq() <= d.session.At.Seq() {
		return false // not known now; an append would tell too
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err != nil {
		slog.ErrorContext(ctx, "the head could not be read", "session", d.stream.Session, "error", err)
		return false
	}
	h := sum.Head
	return h == nil || h.Operation != d.me.Operation || h.Generation != d.me.Generation || h.CancelRequested || head.By != "" && head.By != d.me.Me
}

// lookAgain folds what came.
func (d *driver) lookAgain(ctx context.Context) (err error) {
	others, err := d.catchUp(ctx)
	d.me.Lost = d.me.Lost || others
	return err
}
