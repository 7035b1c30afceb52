package turn_test

import (
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

func TestARetentionIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]int64{"forever": 0, "1h": 3600, "36h": 36 * 3600, "1d": 86400, "30d": 30 * 86400, "3650d": 3650 * 86400} {
		seconds, err := turn.ParseRetention(text)
		if err != nil || seconds != want {
			t.Errorf("%s: %d, %v; want %d", text, seconds, err, want)
		}
		if again := (turn.Retention{Seconds: seconds}).String(); again != text {
			t.Errorf("%s is shown as %s", text, again)
		}
	}
	for _, text := range []string{"", "d", "0d", "0h", "-1d", "+1d", "1", "1s", "1.5d", " 1d", "1d ", "3651d", "87601h", "99999d", "1e3d", "Forever", "P30D"} {
		if seconds, err := turn.ParseRetention(text); err == nil {
			t.Errorf("%q: %d", text, seconds)
		}
	}
}

// The time counts from the newest event; not while anything is unsettled, nor from an
// event that only changes it. What no build writes is never.
func TestWhenASessionExpires(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	s, seq := &turn.State{}, uint64(0)
	apply := func(hours int, id string, p event.Payload) {
		seq++
		s.Apply(event.Event{Seq: seq, At: event.At(began.Add(time.Duration(hours) * time.Hour)), Operation: id, Data: p})
	}
	want := func(when string, hours int) {
		t.Helper()
		at := s.ExpiresAt()
		if hours == 0 && !at.IsZero() || hours > 0 && !at.Equal(began.Add(time.Duration(hours)*time.Hour)) {
			t.Errorf("%s: %s, want %d hours", when, at, hours)
		}
		if sum := s.Summary(); !sum.ExpiresAt.Equal(at.Time) || sum.Retention != s.Retention && !s.Deleted {
			t.Errorf("%s: its summary says %+v", when, sum)
		}
	}
	want("nothing", 0)
	apply(0, "", event.SessionOpened{StreamID: "x", Agent: "demo"})
	want("opened", 0)
	apply(1, "", event.SessionRetained{Seconds: 10 * 3600})
	want("retained", 10)
	apply(2, "a", event.OperationAccepted{})
	want("accepted", 0)
	apply(3, "a", event.OperationStarted{})
	want("started", 0)
	apply(9, "a", event.OperationCompleted{})
	want("completed", 19)
	apply(12, "", event.WorkspaceWritten{Path: "/x"})
	want("a file", 22)
	apply(13, "", event.SessionRetained{Seconds: 2 * 3600, Own: true})
	want("shortened", 14)
	apply(13, "", event.SessionRetained{Seconds: -1})
	want("less than nothing", 0)
	apply(13, "", event.SessionRetained{Seconds: 1 << 62})
	want("more than time", 0)
	apply(14, "", event.SessionRetained{Seconds: 3600})
	want("retained again", 13)
	apply(15, "", event.SessionDeleted{})
	want("deleted", 0)
}
