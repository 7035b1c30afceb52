package trace_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/trace"
)

// attributes tells them in text, by name.
func attributes(all []trace.Attribute) string {
	var words []string
	for _, a := range all {
		words = append(words, fmt.Sprintf("%s=%v", a.Key, a.Value))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestOTLPOfOneSpan(t *testing.T) {
	s := trace.Span{TraceID: traceID, SpanID: spanID, ParentSpanID: "00f067aa0ba902b7", Name: "chat claude", Kind: trace.Client, Start: at(1).Time, End: at(2).Time, Error: "overloaded",
		Attributes: []trace.Attribute{{"s", "<text>"}, {"n", int64(1 << 60)}, {"f", 0.5}, {"l", []string{"stop"}}},
		Marks:      []trace.Mark{{Name: "m", At: at(1).Time, Attributes: []trace.Attribute{{"n", int64(0)}}}}}
	const want = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"windlass"}}]},"scopeSpans":[{"scope":{"name":"windlass"},"spans":[` +
		`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","parentSpanId":"00f067aa0ba902b7","name":"chat claude","kind":3,"startTimeUnixNano":"1767225601000000000","endTimeUnixNano":"1767225602000000000",` +
		`"attributes":[{"key":"s","value":{"stringValue":"\u003ctext\u003e"}},{"key":"n","value":{"intValue":"1152921504606846976"}},{"key":"f","value":{"doubleValue":0.5}},{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"stop"}]}}}],` +
		`"events":[{"timeUnixNano":"1767225601000000000","name":"m","attributes":[{"key":"n","value":{"intValue":"0"}}]}],"status":{"code":2}}]}]}]}`
	if d := cmp.Diff(want, string(trace.OTLP([]trace.Span{s}))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// request is what a receiver reads: the fields of OTLP's messages, and no other.
type request struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []keyValue }
		ScopeSpans []struct {
			Scope struct{ Name string }
			Spans []struct {
				TraceID, SpanID, ParentSpanID      string
				Name                               string
				Kind                               int
				StartTimeUnixNano, EndTimeUnixNano string
				Attributes                         []keyValue
				Events                             []struct {
					TimeUnixNano, Name string
					Attributes         []keyValue
				}
				Status struct{ Code int }
			}
		}
	}
}

type keyValue struct {
	Key   string
	Value map[string]any
}

var (
	hex32 = regexp.MustCompile(`^[0-9a-f]{32}$`)
	hex16 = regexp.MustCompile(`^[0-9a-f]{16}$`)
	nanos = regexp.MustCompile(`^[1-9][0-9]{18}$`)
	whole = regexp.MustCompile(`^-?[0-9]+$`)
)

func TestOTLPIsWhatReceiversRead(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(trace.OTLP(trace.Of("s", story()))))
	d.DisallowUnknownFields()
	var r request
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	its := r.ResourceSpans[0].Resource.Attributes
	if len(its) != 1 || its[0].Key != "service.name" || its[0].Value["stringValue"] != "windlass" {
		t.Errorf("the resource is %v", its)
	}
	spans := r.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 13 {
		t.Errorf("%d spans", len(spans))
	}
	for _, s := range spans {
		if !hex32.MatchString(s.TraceID) || !hex16.MatchString(s.SpanID) || !hex16.MatchString(s.ParentSpanID) || s.Kind < 1 || s.Kind > 5 || s.Name == "" {
			t.Errorf("%+v", s)
		}
		if !nanos.MatchString(s.StartTimeUnixNano) || !nanos.MatchString(s.EndTimeUnixNano) || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s is from %s to %s", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
		faults := 0
		check(t, s.Name, s.Attributes)
		for _, a := range s.Attributes {
			if a.Key == "error.type" {
				faults++
			}
		}
		if s.Status.Code != 2*faults {
			t.Errorf("%s has status %d and %d error.type", s.Name, s.Status.Code, faults)
		}
		for _, e := range s.Events {
			if !nanos.MatchString(e.TimeUnixNano) || e.Name == "" {
				t.Errorf("%s: event %+v", s.Name, e)
			}
			check(t, s.Name, e.Attributes)
		}
	}
}

// check: each name once, each value one of its kinds, and 64 bits in a string.
func check(t *testing.T, span string, all []keyValue) {
	t.Helper()
	seen := map[string]bool{}
	for _, a := range all {
		if seen[a.Key] || a.Key == "" || len(a.Value) != 1 {
			t.Errorf("%s: %+v: twice, or not one value", span, a)
		}
		seen[a.Key] = true
		for kind, v := range a.Value {
			switch kind {
			case "stringValue":
				if s, ok := v.(string); !ok || s == "" {
					t.Errorf("%s: %s is %v", span, a.Key, v)
				}
			case "intValue":
				if s, ok := v.(string); !ok || !whole.MatchString(s) {
					t.Errorf("%s: %s is %v", span, a.Key, v)
				}
			case "doubleValue":
				if _, ok := v.(float64); !ok {
					t.Errorf("%s: %s is %v", span, a.Key, v)
				}
			case "arrayValue":
			default:
				t.Errorf("%s: %s is a %s", span, a.Key, kind)
			}
		}
	}
}
