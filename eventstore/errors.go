package eventstore

import (
	"errors"
	"fmt"
)

// Code classifies an error for programs. The string is public and stable.
type Code string

const (
	// Invalid: the call can never succeed as it was made.
	Invalid Code = "invalid"
	// TooLarge: one of the limits in limits.go; permanent.
	TooLarge Code = "too_large"
	// NotFound: the stream or row does not exist.
	NotFound Code = "not_found"
	// LostRace: somebody else appended at that position; see [Conflict].
	LostRace Code = "conflict"
	// AlreadyClaimed: the claim's key is taken in this stream; see [Claimed].
	AlreadyClaimed Code = "claimed"
	// Throttled: the backend asked for less; safe to send again.
	Throttled Code = "throttled"
	// Unavailable: the backend gave no answer. A write may or may not be stored.
	Unavailable Code = "unavailable"
	// Corrupt: the log breaks its own rules. Never retried, never repaired.
	Corrupt Code = "corrupt"
	// Closed: the stream was ended for good; nothing can be added to it.
	Closed Code = "closed"
	// Denied: the backend refuses our credentials.
	Denied Code = "denied"
)

// Error carries a code, the operation it happened in, and its cause.
type Error struct {
	Code Code
	Op   string
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("eventstore: %s: %s: %v", e.Op, e.Code, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an [Error]; drivers use it too.
func Errorf(code Code, op, format string, args ...any) error {
	return &Error{Code: code, Op: op, Err: fmt.Errorf(format, args...)}
}

// CodeOf is the code of the first coded error in err's chain; Unavailable for
// any other error, because nothing is known then.
func CodeOf(err error) Code {
	var c interface{ code() Code }
	if errors.As(err, &c) {
		return c.code()
	}
	return Unavailable
}

func (e *Error) code() Code { return e.Code }

// Conflict says who stands at the position that was appended at.
type Conflict struct{ Existing Record }

func (c *Conflict) Error() string {
	return fmt.Sprintf("eventstore: append: %s: commit %s by %q stands at seq %d of %s", LostRace, c.Existing.ID, c.Existing.By, c.Existing.First, c.Existing.Stream)
}

func (c *Conflict) code() Code { return LostRace }

// Claimed says what holds the key that was claimed.
type Claimed struct {
	Existing Claim
	// Commit is the record that stands at the position, if the driver saw one.
	// The Journal looks there for its own id first.
	Commit *Record
}

func (c *Claimed) Error() string {
	return fmt.Sprintf("eventstore: append: %s: %q at seq %d", AlreadyClaimed, c.Existing.Key, c.Existing.First)
}

func (c *Claimed) code() Code { return AlreadyClaimed }
