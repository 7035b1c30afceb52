package turn

import (
	"fmt"
	"strconv"
	"time"

	"windlass/eventstore/event"
)

// Retention is how long a session is kept after the last thing that happened in it. The
// zero Retention is for ever.
type Retention struct {
	// Seconds is 0 for ever, else from [MinRetention] to [MaxRetention].
	Seconds int64 `json:"seconds"`
	// Own: it was given to this session, and its tenant's does not replace it.
	Own bool `json:"own,omitempty"`
}

// Bounds of a retention.
const (
	MinRetention = time.Hour
	MaxRetention = 3650 * day

	day     = 24 * time.Hour
	forever = "forever"
)

// ParseRetention reads "forever", or a whole number of hours or days such as 12h and 30d.
// The error says what it takes, for whoever wrote it.
func ParseRetention(text string) (seconds int64, err error) {
	if text == forever {
		return 0, nil
	}
	units := map[byte]time.Duration{'h': time.Hour, 'd': day}
	if n := len(text); n > 1 && n <= 6 && text[0] != '+' && text[0] != '-' {
		count, err := strconv.Atoi(text[:n-1])
		d := time.Duration(count) * units[text[n-1]]
		if err == nil && d >= MinRetention && d <= MaxRetention {
			return int64(d / time.Second), nil
		}
	}
	return 0, fmt.Errorf("a retention is %.40q; it takes forever, or whole hours or days from 1h to 3650d, such as 30d", text)
}

// String is what [ParseRetention] reads.
func (r Retention) String() string {
	switch d := time.Duration(r.Seconds) * time.Second; {
	case r.Seconds == 0:
		return forever
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	default:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
}

// ExpiresAt is when the session's time is over, if nothing happens in it before; zero for
// never, and while anything is not settled.
func (s *State) ExpiresAt() event.Time {
	kept := s.Retention.Seconds
	if s.StreamID == "" || s.Deleted || len(s.Queue) > 0 || kept <= 0 || kept > int64(MaxRetention/time.Second) {
		return event.Time{}
	}
	return event.At(s.Active.Add(time.Duration(kept) * time.Second))
}
