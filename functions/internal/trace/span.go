package trace

import (
	"strings"
	"time"
)

// Kind is a span's kind, numbered as OTLP does.
type Kind int

const (
	Internal Kind = 1
	Client   Kind = 3
)

// Span is something that took time.
type Span struct {
	TraceID, SpanID string
	// ParentSpanID is empty of a trace's root. That of an operation's first span is the
	// caller's, and is not among the operation's.
	ParentSpanID string
	Name         string
	Kind         Kind
	// End is never before Start.
	Start, End time.Time
	Attributes []Attribute
	Marks      []Mark
	// Error is the code that it ended with; empty if it did what it should.
	Error string
}

// Mark is a moment of a span: OpenTelemetry's span event.
type Mark struct {
	Name       string
	At         time.Time
	Attributes []Attribute
}

// Attribute is a property; its value is a string, an int64, a float64 or a []string.
type Attribute struct {
	Key   string
	Value any
}

const (
	// MaxSpans bounds the spans of one operation, and MaxMarks the moments of each: what
	// comes after them is left out.
	MaxSpans = 10_000
	MaxMarks = 128
	// maxWord bounds a name or a code, in bytes.
	maxWord = 128
)

// other stands for a code that is none; OpenTelemetry's own word.
const other = "_OTHER"

func (s *Span) set(key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case int:
		value = int64(v)
	}
	for i := range s.Attributes {
		if s.Attributes[i].Key == key {
			s.Attributes[i].Value = value
			return
		}
	}
	s.Attributes = append(s.Attributes, Attribute{key, value})
}

func (s *Span) mark(name string, at time.Time, attributes ...Attribute) {
	if len(s.Marks) < MaxMarks {
		s.Marks = append(s.Marks, Mark{name, at, attributes})
	}
}

func (s *Span) open() bool { return s.End.IsZero() }

// end ends an open span. Each driver has its own clock: time never goes back.
func (s *Span) end(at time.Time, fault string) {
	if !s.open() {
		return
	}
	s.End = at
	if at.Before(s.Start) {
		s.End = s.Start
	}
	if fault != "" {
		s.Error = fault
		s.set("error.type", fault)
	}
}

// word is a name or a code as it may stand in a trace. Some are written by a model, or
// come from outside: what could be a sentence is not shown.
func word(s string) string {
	switch {
	case s == "":
		return ""
	case len(s) > maxWord || strings.ContainsFunc(s, notInWord):
		return other
	}
	return s
}

func notInWord(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._:/@+-", r)
}

// code is why something failed; never empty.
func code(s string) string {
	if s == "" {
		return other
	}
	return word(s)
}
