package preview

import (
	"context"
	"log/slog"

	"windlass/functions/internal/connection"
)

// Bounds of the connections that are posted to, and of the rows that are looked at
// for them: what a crowd sees live is the log.
const (
	maxConnections = 64
	maxRows        = 256
)

// follow reads again and again who follows. A connection that a reading finds and the
// one before it did not has subscribed after that one began, and reads the row later
// still: it has all that the row held then.
func (v *Preview) follow() {
	var before [2]int // what the row held when the last reading that succeeded began
	for {
		v.posting.Lock()
		held := v.held
		v.posting.Unlock()
		if ids, ok := v.read(); ok {
			v.meet(ids, before)
			before = held
		}
		if !v.wait(reading) {
			return
		}
	}
}

// read lists the connections that may see this answer.
func (v *Preview) read() (ids map[string]bool, ok bool) {
	ctx, cancel := context.WithTimeout(v.ctx, within)
	defer cancel()
	subscribers, err := v.followers.SomeSubscribers(ctx, v.stream, maxRows)
	if err != nil {
		slog.DebugContext(ctx, "a preview's followers were not read", "session", v.stream.Session, "error", err)
		return nil, false
	}
	ids = map[string]bool{}
	for _, s := range subscribers {
		if len(ids) < maxConnections && v.sees(ctx, s) {
			ids[s.Connection] = true
		}
	}
	return ids, true
}

// sees: whoever may not, or not any longer, hears why with the next event, from
// publish.
func (v *Preview) sees(ctx context.Context, s connection.Subscriber) bool {
	return (s.Operation == "" || s.Operation == v.step.Operation) && v.now().Before(s.ClosesAt) && !v.trust.Refused(ctx, s.Key)
}

// meet takes in those who are new, at a place, and lets go of those who left.
func (v *Preview) meet(ids map[string]bool, at [2]int) {
	v.posting.Lock()
	defer v.posting.Unlock()
	for id := range v.known {
		if !ids[id] {
			delete(v.known, id)
		}
	}
	for id := range ids {
		if v.known[id] == nil {
			v.known[id] = &follower{id: id, at: at}
		}
	}
}
