package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// AppendJSON writes v behind what is there, with <, > and & as they are: a model
// reads some of it.
func AppendJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode's newline
	return nil
}

// Given: the field is there, and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// Text is a string; or what some servers write in its place, as JSON.
type Text string

func (t *Text) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	}
	*t = Text(b)
	return nil
}

// Count is a number from 0 up; some servers write it as a fraction.
type Count int64

func (c *Count) UnmarshalJSON(b []byte) error {
	var n float64
	if json.Unmarshal(b, &n) != nil || math.IsNaN(n) || n < 0 {
		return nil // a count is never worth an answer
	}
	*c = Count(min(n, 1<<40))
	return nil
}

// Clean makes text that every server can read: some refuse a NUL, or what is no
// UTF-8.
func Clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
