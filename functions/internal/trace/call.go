package trace

import (
	"cmp"

	"windlass/eventstore/event"
)

// Reasons why a call waits, besides those of [event.ApprovalRequested].
const deferred = "deferred"

func (f *Fold) applyCall(e event.Event) {
	switch d := e.Data.(type) {
	case event.ToolStarted:
		c := f.call(e, d.Index, d.Name)
		c.proceed(e, "")
		c.set("windlass.effect", word(d.Effect))
		c.mark(d.EventType(), e.At.Time)
	case event.ToolDeferred:
		f.call(e, d.Index, d.Name).waitFor(f, e, deferred)
	case event.ToolAnswered:
		c := f.call(e, d.Index, "")
		c.proceed(e, "answered")
		c.mark(d.EventType(), e.At.Time)
	case event.ToolUnknown:
		c := f.call(e, d.Index, d.Name)
		c.proceed(e, "unknown")
		c.mark(d.EventType(), e.At.Time)
	case event.ApprovalRequested:
		f.call(e, d.Index, d.Name).waitFor(f, e, cmp.Or(word(d.Reason), other))
	case event.ApprovalResolved:
		f.call(e, d.Index, "").proceed(e, word(d.Decision))
	case event.ChildSubmitted:
		c := f.call(e, d.Index, "")
		c.set("windlass.child.session", word(d.Session))
		c.set("windlass.child.operation.id", word(d.Operation))
		c.set("windlass.child.agent", word(d.Agent))
		c.mark(d.EventType(), e.At.Time)
	case event.ChildSettled:
		f.call(e, d.Index, "").mark(d.EventType(), e.At.Time, Attribute{"windlass.status", code(d.Status)})
	case event.ChildAbandoned:
		f.call(e, d.Index, "").mark(d.EventType(), e.At.Time)
	case event.ToolCompleted:
		f.call(e, d.Index, d.Name).result(e, d.CallID, "")
	case event.ToolFailed:
		f.call(e, d.Index, d.Name).result(e, d.CallID, code(d.Error.Code))
	}
}

// call is the call that an event is about. It begins with the first one that is.
func (f *Fold) call(e event.Event, index int, name string) *call {
	at := step{e.Round, index}
	if c := f.calls[at]; c != nil {
		return c
	}
	its := f.asked[at]
	tool := word(cmp.Or(its.Name, name))
	place := f.own.Call(e.Round, index)
	c := &call{Span: f.begin(place, f.own.SpanID, named("execute_tool", tool), e.At.Time), place: place}
	c.set("gen_ai.operation.name", "execute_tool")
	c.set("gen_ai.tool.name", tool)
	c.callID(its.CallID)
	c.set("windlass.round", e.Round)
	c.set("windlass.index", index)
	f.calls[at] = c
	return c
}

func (c *call) callID(id string) {
	if id = word(id); id != other {
		c.set("gen_ai.tool.call.id", id)
	}
}

func (c *call) result(e event.Event, id, fault string) {
	c.proceed(e, "")
	c.callID(id)
	c.end(e.At.Time, fault)
}

// waitFor begins a wait: a span of its own, because nothing runs while it lasts.
func (c *call) waitFor(f *Fold, e event.Event, reason string) {
	if !c.open() {
		return
	}
	c.proceed(e, "")
	c.waits++
	c.wait = f.begin(c.place.step("wait", c.waits), c.SpanID, "wait "+reason, e.At.Time)
	c.wait.set("windlass.wait", reason)
}

// proceed ends a wait, if there is one. How says with what.
func (c *call) proceed(e event.Event, how string) {
	if c.wait == nil {
		return
	}
	if c.wait.open() {
		c.wait.set("windlass.outcome", how)
	}
	c.wait.end(e.At.Time, "")
	c.wait = nil
}
