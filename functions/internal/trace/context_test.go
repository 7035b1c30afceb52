package trace_test

import (
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/trace"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
	sent    = "00-" + traceID + "-" + spanID + "-01"
)

func TestHeadersThatAreRead(t *testing.T) {
	for header, sampled := range map[string]bool{
		sent:                                                 true,
		"00-" + traceID + "-" + spanID + "-00":               false,
		"00-" + traceID + "-" + spanID + "-02":               false,
		"00-" + traceID + "-" + spanID + "-ff":               true,
		"cc-" + traceID + "-" + spanID + "-01":               true, // a later version
		"cc-" + traceID + "-" + spanID + "-01-what-may-come": true,
	} {
		if c, ok := trace.Parse(header); !ok || c != (trace.Context{TraceID: traceID, SpanID: spanID, Sampled: sampled}) {
			t.Errorf("%s: %+v, %t", header, c, ok)
		}
	}
}

func TestHeadersThatAreIgnored(t *testing.T) {
	for _, header := range []string{
		"", "00", sent[:54], sent + "-", sent + "0", sent + "-01", " " + sent, sent + "," + sent, "cc" + sent[2:] + ".01",
		"ff" + sent[2:], "0x" + sent[2:], "0G" + sent[2:],
		strings.ToUpper(sent), strings.ReplaceAll(sent, "-", "_"),
		"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01",
		"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01",
		"00-" + traceID[:31] + "x-" + spanID + "-01",
		"00-" + traceID + "-" + spanID + "-0x",
		"00-" + traceID + spanID[:1] + "-" + spanID[1:] + "-01",
	} {
		if c, ok := trace.Parse(header); ok || c != (trace.Context{}) {
			t.Errorf("%q was read as %+v", header, c)
		}
	}
}

func FuzzParseReadsWhatItWrites(f *testing.F) {
	f.Add(sent)
	f.Add("cc-" + traceID + "-" + spanID + "-03-x")
	f.Fuzz(func(t *testing.T, header string) {
		c, ok := trace.Parse(header)
		if again, also := trace.Parse(c.String()); also != ok || again != c {
			t.Fatalf("%q: %+v, %t, then %+v, %t", header, c, ok, again, also)
		}
	})
}

// An operation's place follows from what the log says: a new one for each, the same one
// for whoever asks, in the caller's trace if there is one.
func TestAnOperationsPlaceFollowsFromTheLog(t *testing.T) {
	caller, _ := trace.Parse(sent)
	own := trace.Begin(caller, "stream", "a")
	if own.TraceID != traceID || own.SpanID == spanID || !own.Sampled || own != trace.Begin(caller, "stream", "a") {
		t.Errorf("below %+v: %+v", caller, own)
	}
	caller.Sampled = false
	if own = trace.Begin(caller, "stream", "a"); own.Sampled {
		t.Errorf("its caller keeps nothing, and it says %s", own)
	}
	seen := map[string]bool{}
	for _, c := range []trace.Context{trace.Begin(trace.Context{}, "stream", "a"), trace.Begin(trace.Context{}, "stream", "b"), trace.Begin(trace.Context{}, "other", "a")} {
		read, ok := trace.Parse(c.String())
		if seen[c.TraceID] || seen[c.SpanID] || !ok || read != c || !c.Sampled {
			t.Errorf("%s: twice, or no place", c)
		}
		seen[c.TraceID], seen[c.SpanID] = true, true
		for _, call := range []trace.Context{c.Call(1, 11), c.Call(11, 1), c.Call(1, 1)} {
			if seen[call.SpanID] || call.TraceID != c.TraceID {
				t.Errorf("a call of %s is at %s", c, call)
			}
			seen[call.SpanID] = true
		}
	}
}

// Ids are in other systems by now: how they are derived is for ever.
func TestDerivedIDsNeverChange(t *testing.T) {
	const wantDerived = "00-8973d39242c3c1103b62e7303e4cbd42-a2e00c9d83668e5b-01 28365c324af71485"
	own := trace.Begin(trace.Context{}, "01JGK3SR00000000000000000A", "op-1")
	if got := own.String() + " " + own.Call(2, 1).SpanID; got != wantDerived {
		t.Errorf("%s, want %s", got, wantDerived)
	}
}

// What an older build accepted, or was written by nobody of ours, has a place all the same.
func TestAnEventWithoutATraceHasAPlace(t *testing.T) {
	for _, d := range []event.OperationAccepted{
		{Fingerprint: "v1:00"}, {Fingerprint: "v1:00", Traceparent: "what", ParentSpanID: spanID},
	} {
		e := event.Event{Operation: "a", At: at(0), Data: d}
		own, parent := trace.Accepted(e, d)
		again, _ := trace.Accepted(e, d)
		if _, ok := trace.Parse(own.String()); !ok || parent != "" || own != again {
			t.Errorf("%+v: %s below %q, then %s", d, own, parent, again)
		}
	}
	d := event.OperationAccepted{Traceparent: sent, ParentSpanID: "not an id"}
	if own, parent := trace.Accepted(event.Event{Data: d}, d); own.String() != sent || parent != "" {
		t.Errorf("%s below %q", own, parent)
	}
}
