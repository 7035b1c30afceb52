package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// OTLP is the spans as OTLP over HTTP sends them in JSON: an ExportTraceServiceRequest.
// Its ids are hex, and its 64-bit numbers are strings: JSON's own would lose digits.
func OTLP(spans []Span) []byte {
	all := make([]otlpSpan, 0, len(spans))
	for _, s := range spans {
		all = append(all, spanOf(s))
	}
	b, err := json.Marshal(otlpRequest{[]otlpResourceSpans{{
		Resource:   otlpResource{[]otlpKeyValue{{"service.name", valueOf("windlass")}}},
		ScopeSpans: []otlpScopeSpans{{otlpScope{"windlass"}, all}},
	}}})
	if err != nil {
		panic(fmt.Sprintf("trace: %v", err)) // plain values only
	}
	return b
}

type otlpRequest struct {
	ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
}

type otlpResourceSpans struct {
	Resource   otlpResource     `json:"resource"`
	ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
}

type otlpResource struct {
	Attributes []otlpKeyValue `json:"attributes"`
}

type otlpScopeSpans struct {
	Scope otlpScope  `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpScope struct {
	Name string `json:"name"`
}

type otlpSpan struct {
	TraceID      string         `json:"traceId"`
	SpanID       string         `json:"spanId"`
	ParentSpanID string         `json:"parentSpanId,omitempty"`
	Name         string         `json:"name"`
	Kind         Kind           `json:"kind"`
	Start        string         `json:"startTimeUnixNano"`
	End          string         `json:"endTimeUnixNano"`
	Attributes   []otlpKeyValue `json:"attributes,omitempty"`
	Events       []otlpEvent    `json:"events,omitempty"`
	Status       *otlpStatus    `json:"status,omitempty"`
}

type otlpEvent struct {
	At         string         `json:"timeUnixNano"`
	Name       string         `json:"name"`
	Attributes []otlpKeyValue `json:"attributes,omitempty"`
}

type otlpKeyValue struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue has one member.
type otlpValue struct {
	String *string    `json:"stringValue,omitempty"`
	Int    *string    `json:"intValue,omitempty"`
	Double *float64   `json:"doubleValue,omitempty"`
	Array  *otlpArray `json:"arrayValue,omitempty"`
}

type otlpArray struct {
	Values []otlpValue `json:"values"`
}

// statusError is STATUS_CODE_ERROR. A span that is none has no status: whether all went
// well is for its reader to say.
const statusError = 2

type otlpStatus struct {
	Code int `json:"code"`
}

func spanOf(s Span) otlpSpan {
	o := otlpSpan{
		TraceID: s.TraceID, SpanID: s.SpanID, ParentSpanID: s.ParentSpanID, Name: s.Name, Kind: s.Kind,
		Start: nanos(s.Start), End: nanos(s.End), Attributes: valuesOf(s.Attributes),
	}
	for _, m := range s.Marks {
		o.Events = append(o.Events, otlpEvent{nanos(m.At), m.Name, valuesOf(m.Attributes)})
	}
	if s.Error != "" {
		o.Status = &otlpStatus{statusError}
	}
	return o
}

func valuesOf(attributes []Attribute) (all []otlpKeyValue) {
	for _, a := range attributes {
		all = append(all, otlpKeyValue{a.Key, valueOf(a.Value)})
	}
	return all
}

func valueOf(v any) otlpValue {
	switch v := v.(type) {
	case string:
		return otlpValue{String: &v}
	case int64:
		n := strconv.FormatInt(v, 10)
		return otlpValue{Int: &n}
	case float64:
		return otlpValue{Double: &v}
	case []string:
		array := &otlpArray{Values: []otlpValue{}}
		for _, s := range v {
			array.Values = append(array.Values, valueOf(s))
		}
		return otlpValue{Array: array}
	}
	panic(fmt.Sprintf("trace: an attribute cannot be a %T", v))
}

// nanos is a time as OTLP counts it. What lies before 1970 is none: the field has no sign.
func nanos(t time.Time) string {
	return strconv.FormatInt(max(t.UnixNano(), 0), 10)
}
