package session

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

// Bounds of a page of a list.
const (
	DefaultRows  = 50
	MaxRows      = 200
	DefaultNames = 200
	MaxNames     = 1000
)

const (
	cursorVersion = "c1."
	maxCursor     = 2 << 10
	sumBytes      = 8
)

// scope is what a cursor is good for: one list of one tenant. A cursor is no
// authority; its sum tells that it is whole, and used where it means something.
type scope string

func listOf(tenant, list string) scope { return scope(tenant + "\n" + list + "\n") }

func (s scope) sum(key string) string {
	sum := sha256.Sum256([]byte(string(s) + key))
	return string(sum[:sumBytes])
}

// cursor names the place behind a key.
func (s scope) cursor(key string) string {
	return cursorVersion + base64.RawURLEncoding.EncodeToString([]byte(s.sum(key)+key))
}

// after is the key that a cursor names; the list's beginning without one.
func (s scope) after(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	text, ok := strings.CutPrefix(cursor, cursorVersion)
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if ok && err == nil && len(b) > sumBytes && len(cursor) <= maxCursor {
		if key := string(b[sumBytes:]); len(key) <= eventstore.MaxName && utf8.ValidString(key) && s.cursor(key) == cursor {
			return key, nil
		}
	}
	return "", fault.New(fault.InvalidRequest, "the cursor is none that this list gave; take nextCursor of the page before, or none for the first page")
}
