package secret

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// Fresh is how long a value is used without another reading.
	Fresh = 5 * time.Minute
	// Oldest is how long a value is used while it cannot be read again.
	Oldest = time.Hour
	// Pause is the least time from a reading that failed, or gave what was refused, to
	// the next one.
	Pause = 15 * time.Second
	// patience bounds one reading, the SDK's own attempts included.
	patience = 5 * time.Second
)

// A Reader reads a secret once, as it is stored, without regard to [Ref.Key]. Its errors
// are of the type [Error].
type Reader interface {
	Read(ctx context.Context, ref Ref) (string, error)
}

// Cache keeps what was read. It is safe for concurrent use, and holds as many secrets as
// it was ever asked for: ask only for those that a configuration names.
type Cache struct {
	reader Reader

	mu   sync.Mutex
	kept map[string]*entry // by ARN: several keys of one secret are one reading
}

// entry is what is known of one secret.
type entry struct {
	value string
	read  time.Time     // when value was; zero if there is none
	err   error         // of the last reading, if it failed
	next  time.Time     // no reading before
	busy  chan struct{} // closed when the reading that is under way ends
}

// New makes a cache that reads by r. It reads nothing yet.
func New(r Reader) *Cache { return &Cache{reader: r, kept: map[string]*entry{}} }

// Get is the secret's value, without line ends behind it. The error is an [*Error], or
// ctx's if that ends first; the reading then goes on for whoever asks next.
func (c *Cache) Get(ctx context.Context, ref Ref) (string, error) {
	whole, err := c.whole(ctx, ref)
	if err != nil {
		return "", err
	}
	return pick(whole, ref)
}

func (c *Cache) whole(ctx context.Context, ref Ref) (string, error) {
	for {
		value, busy, err := c.look(ctx, ref)
		if busy == nil {
			return value, err
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// look is what is known; or a reading that is under way, begun here if nobody did.
func (c *Cache) look(ctx context.Context, ref Ref) (value string, busy <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[ref.ARN]
	if e == nil {
		e = &entry{}
		c.kept[ref.ARN] = e
	}
	now := time.Now()
	switch {
	case e.busy != nil:
		return "", e.busy, nil
	case !now.Before(e.next):
		e.busy = make(chan struct{})
		ref.Key = ""
		// Not with the caller's end: others wait for the same reading.
		go c.refresh(context.WithoutCancel(ctx), ref, e)
		return "", e.busy, nil
	case e.usable(now):
		return e.value, nil, nil
	}
	return "", nil, e.err
}

func (e *entry) usable(now time.Time) bool { return !e.read.IsZero() && now.Sub(e.read) < Oldest }

func (c *Cache) refresh(ctx context.Context, ref Ref, e *entry) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	value, err := c.reader.Read(ctx, ref)
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	close(e.busy)
	e.busy, e.err = nil, err
	if err == nil {
		e.value, e.read, e.next = value, now, now.Add(Fresh)
		return
	}
	e.next = now.Add(Pause)
	if !e.usable(now) {
		e.value, e.read = "", time.Time{}
		slog.ErrorContext(ctx, "a secret could not be read", "secret", ref.ARN, "error", err)
		return
	}
	slog.WarnContext(ctx, "a secret could not be read again; its last value is used", "secret", ref.ARN,
		"age", now.Sub(e.read).Round(time.Second).String(), "until", e.read.Add(Oldest), "error", err)
}

// Rejected says that whom the value was shown to refused it: it may have been rotated.
// The next [Cache.Get] reads again, unless the last reading is younger than [Pause] or
// found another value since.
func (c *Cache) Rejected(ref Ref, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[ref.ARN]
	if e == nil || e.read.IsZero() || e.err != nil || time.Since(e.read) < Pause {
		return
	}
	if its, err := pick(e.value, ref); err == nil && its == value {
		e.next = time.Time{}
	}
}

// pick is the value that a reference means of what is stored.
func pick(whole string, ref Ref) (string, error) {
	value := whole
	if ref.Key != "" {
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(whole), &fields) != nil {
			return "", &Error{Malformed, ref, "it is no JSON object, and the reference names a key"}
		}
		var text *string // null is none
		if json.Unmarshal(fields[ref.Key], &text) != nil || text == nil {
			return "", &Error{Malformed, ref, "its JSON object has no text by that key"}
		}
		value = *text
	}
	if value = strings.TrimRight(value, "\r\n"); value == "" {
		return "", &Error{Malformed, ref, "it is empty"}
	}
	return value, nil
}

// CodeOf is the code of an error of this package, or "" of another.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
