package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"windlass/eventstore/event"
)

// Begin is the place of an operation that is accepted: below its caller's, or in a trace
// of its own. It follows from the log that it stands in and from its id.
func Begin(caller Context, streamID, operation string) Context {
	own := Context{caller.TraceID, spanID("operation", streamID, operation), caller.Sampled}
	if own.TraceID == "" {
		own.TraceID, own.Sampled = derive(16, "trace", streamID, operation), true
	}
	return own
}

// Accepted is the place of the operation that e accepts, and the span above it; empty for
// none. Builds before this one wrote down no trace: then it follows from what they did.
func Accepted(e event.Event, d event.OperationAccepted) (own Context, parentSpanID string) {
	own, ok := Parse(d.Traceparent)
	if !ok {
		return Begin(Context{}, e.At.UTC().Format(event.TimeLayout)+d.Fingerprint, e.Operation), ""
	}
	if isID(d.ParentSpanID, 16) {
		parentSpanID = d.ParentSpanID
	}
	return own, parentSpanID
}

// Call is the place of an operation's call: what is done elsewhere for it stands below.
func (c Context) Call(round, index int) Context { return c.step("call", round, index) }

// step is the place of a part of the operation.
func (c Context) step(kind string, numbers ...int) Context {
	from := []string{kind, c.TraceID, c.SpanID}
	for _, n := range numbers {
		from = append(from, strconv.Itoa(n))
	}
	c.SpanID = spanID(from...)
	return c
}

func spanID(from ...string) string { return derive(8, from...) }

// derive is an id of n bytes. Nobody finds the input that gives zeros.
func derive(n int, from ...string) string {
	sum := sha256.Sum256([]byte("windlass trace 1\x00" + strings.Join(from, "\x00")))
	return hex.EncodeToString(sum[:n])
}
