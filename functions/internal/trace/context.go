package trace

import (
	"encoding/hex"
	"strings"
)

// Context is a place in a trace, as the header traceparent of W3C Trace Context names it.
// The zero Context is none.
type Context struct {
	// TraceID is 32 of 0-9 a-f, SpanID 16; neither is all zeros.
	TraceID string
	SpanID  string
	// Sampled: whoever began the trace keeps it.
	Sampled bool
}

// traceparent is how long version 00 of the header is, in bytes: 00-{32}-{16}-{2}.
const traceparent = 55

// Parse reads a header. One that is not valid is to be taken for none; a later version is
// read as far as it is like this one.
func Parse(header string) (Context, bool) {
	if len(header) < traceparent || len(header) > traceparent && (header[:2] == "00" || header[traceparent] != '-') {
		return Context{}, false
	}
	parts := strings.SplitN(header[:traceparent], "-", 4)
	if len(parts) != 4 || !isHex(parts[0], 2) || parts[0] == "ff" || !isID(parts[1], 32) || !isID(parts[2], 16) || !isHex(parts[3], 2) {
		return Context{}, false
	}
	flags, err := hex.DecodeString(parts[3])
	return Context{parts[1], parts[2], err == nil && flags[0]&1 == 1}, err == nil
}

// String is the header; empty for none.
func (c Context) String() string {
	switch {
	case c.TraceID == "":
		return ""
	case c.Sampled:
		return "00-" + c.TraceID + "-" + c.SpanID + "-01"
	}
	return "00-" + c.TraceID + "-" + c.SpanID + "-00"
}

// isID: hex, and not all zeros, which stand for none.
func isID(s string, n int) bool { return isHex(s, n) && strings.Trim(s, "0") != "" }

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
