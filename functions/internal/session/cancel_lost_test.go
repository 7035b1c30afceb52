package session_test

import (
	"context"
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
)

// between lets somebody append right before the next append that it is armed for.
type between struct {
	*memory.Driver
	do func()
}

func (d *between) Append(ctx context.Context, w eventstore.Write) error {
	if do := d.do; do != nil {
		d.do = nil
		do()
	}
	return d.Driver.Append(ctx, w)
}

func TestACancelOfAQueuedOperationThatLosesItsAppendIsDecidedAgain(t *testing.T) {
	d := &between{Driver: memory.New()}
	w := over(t, d)
	w.submit("a", "p")
	w.submit("b", "p")
	d.do = func() { w.append(event.OperationStarted{}) } // the driver of a, meanwhile
	if got := w.cancel("b"); got != "cancelled" {
		t.Errorf("%s, want cancelled; the log ends with %v", got, w.types(1))
	}
}
