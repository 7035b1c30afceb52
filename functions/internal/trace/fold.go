package trace

import (
	"time"

	"windlass/eventstore/event"
)

// Of is the spans of one operation, the first that the events accept; nil if they accept
// none. Others' events are passed over. The first span is the operation's own, the rest
// stand below it in the order in which they began. What is still open ends, for now, with
// the last event.
func Of(session string, events []event.Event) []Span {
	f := New(session)
	for _, e := range events {
		f.Apply(e)
	}
	return f.Spans()
}

// Fold gathers an operation's spans. It keeps nothing of what the events say but names,
// codes, numbers and times.
type Fold struct {
	session, operation string
	own                Context
	spans              []*Span
	model              *Span // the attempt that was begun last
	attempts           map[step]*Span
	calls              map[step]*call
	asked              map[step]event.ToolCall
	last               time.Time
	settled            bool
}

// step is a part of a round: an attempt, or a call.
type step struct{ round, n int }

// call is one tool call, and what it waits for.
type call struct {
	*Span
	place Context
	wait  *Span
	waits int
}

// New is a fold of no events, of a session's log.
func New(session string) *Fold {
	return &Fold{session: session, attempts: map[step]*Span{}, calls: map[step]*call{}, asked: map[step]event.ToolCall{}}
}

// Apply adds one event. It is total: one that does not fit changes nothing.
func (f *Fold) Apply(e event.Event) {
	if d, ok := e.Data.(event.OperationAccepted); ok && len(f.spans) == 0 {
		f.accepted(e, d)
		return
	}
	if len(f.spans) == 0 || f.settled || e.Operation != f.operation {
		return
	}
	if e.At.After(f.last) {
		f.last = e.At.Time
	}
	switch d := e.Data.(type) {
	case event.OperationStarted, event.OperationCancelRequested, event.MessageSteered:
		f.root().mark(d.EventType(), e.At.Time)
	case event.OperationWarned:
		f.root().mark(d.EventType(), e.At.Time, Attribute{"windlass.warning", word(d.Code)})
	case event.OperationResumed:
		f.resumed(e, d)
	case event.OperationCompleted:
		f.end("completed", "", d.Usage)
	case event.OperationCancelled:
		f.end("cancelled", "", d.Usage)
	case event.OperationFailed:
		f.end("failed", code(d.Error.Code), d.Usage)
	case event.ModelStarted, event.ModelCompleted, event.ModelFailed, event.TranscriptCompacted:
		f.applyModel(e)
	default:
		f.applyCall(e)
	}
}

// Spans is what there is so far.
func (f *Fold) Spans() (all []Span) {
	for _, s := range f.spans {
		its := *s
		its.end(f.last, "")
		all = append(all, its)
	}
	return all
}

// Sampled reports whether the trace is kept by whoever began it.
func (f *Fold) Sampled() bool { return f.own.Sampled }

func (f *Fold) root() *Span { return f.spans[0] }

func (f *Fold) accepted(e event.Event, d event.OperationAccepted) {
	own, parent := Accepted(e, d)
	f.operation, f.own, f.last = e.Operation, own, e.At.Time
	name := word(d.Agent.Name)
	s := f.begin(own, parent, named("invoke_agent", name), e.At.Time)
	s.set("gen_ai.operation.name", "invoke_agent")
	s.set("gen_ai.agent.name", name)
	s.set("gen_ai.agent.version", word(d.Agent.Digest))
	s.set("windlass.operation.id", word(e.Operation))
}

// begin adds a span. Behind the last one that there may be, it is of nobody.
func (f *Fold) begin(at Context, parent, name string, start time.Time) *Span {
	s := &Span{TraceID: at.TraceID, SpanID: at.SpanID, ParentSpanID: parent, Name: name, Kind: Internal, Start: start}
	if s.set("gen_ai.conversation.id", word(f.session)); len(f.spans) < MaxSpans {
		f.spans = append(f.spans, s)
	}
	return s
}

// resumed marks a takeover on all that was open, too: that is why it took so long.
func (f *Fold) resumed(e event.Event, d event.OperationResumed) {
	attributes := []Attribute{{"windlass.reason", word(d.Reason)}, {"windlass.generation", int64(d.Generation)}}
	for i, s := range f.spans {
		if i == 0 || d.Reason == event.ReasonTakeover && s.open() {
			s.mark(d.EventType(), e.At.Time, attributes...)
		}
	}
}

// end ends the operation, and whatever it leaves open.
func (f *Fold) end(status, fault string, u event.Usage) {
	f.settled = true
	root, left := f.root(), fault
	if status == "cancelled" {
		left = status
	}
	for _, s := range f.spans[1:] {
		s.end(f.last, left)
	}
	tokens(root, u.Tokens)
	cost(root, u.CostUSD)
	root.set("windlass.model_calls", u.ModelCalls)
	root.set("windlass.status", status)
	root.end(f.last, fault)
}

// named is a span's name: what is done, and to what.
func named(what, name string) string {
	if name == "" {
		return what
	}
	return what + " " + name
}
