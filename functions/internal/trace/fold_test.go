package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/trace"
)

// secret is what nobody who reads a trace may see.
const secret = "the secret that somebody said"

func ptr[T any](v T) *T { return &v }

// asked is an answer that calls.
func asked(names ...string) event.ModelCompleted {
	d := event.ModelCompleted{Attempt: 2, Stop: "tools", Model: "anthropic/haiku", Usage: event.Tokens{InputTokens: 10, OutputTokens: 3, CachedTokens: 4, ReasoningTokens: 1, CacheWriteTokens: 2}, CostUSD: "0.5",
		Items: []event.ModelItem{{Kind: event.ItemText, Text: ptr(event.Text(secret))}}}
	for i, n := range names {
		d.Items = append(d.Items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: fmt.Sprint("call-", i), Name: n, Arguments: event.Text(secret)}})
	}
	return d
}

// story is a turn in which everything happens.
func story() []event.Event {
	said := event.Text(secret)
	return log(
		event.OperationAccepted{Prompt: said, Preview: secret, Agent: event.Agent{Name: "demo", Digest: "9f86", Definition: said}, Traceparent: sent, ParentSpanID: "00f067aa0ba902b7"},
		event.OperationStarted{},
		1, event.ModelStarted{Attempt: 1, Model: "bedrock/claude"},
		event.ModelFailed{Attempt: 1, Error: event.Error{Code: "overloaded", Message: secret}, Partial: &said, Usage: &event.Tokens{InputTokens: 7}, CostUSD: "0.1"},
		event.ModelStarted{Attempt: 2, Model: "anthropic/claude"},
		0, event.OperationResumed{Reason: event.ReasonTakeover, Generation: 2, By: "D"},
		1, asked("refund", "ship", "delegate", "read", secret),
		event.ApprovalRequested{Index: 0, Name: "refund", Reason: event.ReasonPolicy, ArgumentsSHA256: "00"}, // 8
		event.ToolStarted{Index: 1, Name: "ship", Effect: "once"},
		event.ChildSubmitted{Index: 2, Session: "child-1", Operation: "task", Agent: "coder"},
		event.ToolStarted{Index: 3, Name: "read", Effect: "read"},
		event.ToolFailed{Index: 4, CallID: "call-4", Name: secret, Error: event.Error{Code: secret, Message: secret}},
		event.ToolCompleted{Index: 3, CallID: "call-3", Name: "read", Output: said}, // 13
		event.ApprovalResolved{Index: 0, Decision: event.Approve, Note: secret, Arguments: &said},
		event.ToolDeferred{Index: 1, Name: "ship", Until: at(99)},
		event.ToolStarted{Index: 0, Name: "refund", Effect: "once"},
		event.ToolUnknown{Index: 0, Name: "refund"},
		event.ApprovalRequested{Index: 0, Name: "refund", Reason: event.ReasonUnknownOutcome}, // 18
		event.MessageSteered{Text: said},
		event.ToolAnswered{Index: 1, Output: &said},
		event.ToolCompleted{Index: 1, CallID: "call-1", Name: "ship", Output: said},
		event.ApprovalResolved{Index: 0, Decision: event.Happened, Output: &said},
		event.ToolCompleted{Index: 0, CallID: "call-0", Name: "refund", Output: said},
		event.ChildSettled{Index: 2, Status: "failed", Error: &event.Error{Code: "max_rounds", Message: secret}}, // 24
		event.ToolFailed{Index: 2, CallID: "call-2", Name: "delegate", Error: event.Error{Code: "max_rounds", Message: secret}},
		2, event.ModelStarted{Attempt: 1, Model: "anthropic/claude", Purpose: event.PurposeCompact},
		event.TranscriptCompacted{Summary: said, Model: "anthropic/claude", Usage: event.Tokens{InputTokens: 100}},
		event.OperationWarned{Code: event.WarnRepeatedCalls, Message: secret},
		event.ModelStarted{Attempt: 2, Model: "anthropic/claude"},
		event.ModelCompleted{Attempt: 2, Stop: "end", Items: []event.ModelItem{{Kind: event.ItemText, Text: &said}}}, // 30
		event.OperationCompleted{Output: said, Usage: event.Usage{Tokens: event.Tokens{InputTokens: 117, OutputTokens: 3}, ModelCalls: 5, CostUSD: "0.6"}},
	)
}

func TestATurnAsSpans(t *testing.T) {
	const want = `invoke_agent demo 1-31 operation.started@2 operation.resumed@6 message.steered@19 operation.warned@28
  chat claude 3-4 error=overloaded
  chat claude 5-7 operation.resumed@6
  execute_tool refund 8-23 tool.started@16 tool.unknown@17
    wait policy 8-14
  execute_tool ship 9-21 tool.started@9 tool.answered@20
  execute_tool delegate 10-25 error=max_rounds child.submitted@10 child.settled@24
  execute_tool read 11-13 tool.started@11
  execute_tool _OTHER 12-12 error=_OTHER
    wait deferred 15-20
    wait unknown_outcome 18-22
  chat claude 26-27
  chat claude 29-30
`
	spans := trace.Of("s", story())
	sound(t, spans)
	if d := cmp.Diff(want, show(spans)); d != "" {
		t.Errorf("spans (-want +got):\n%s", d)
	}
	if root := spans[0]; root.TraceID != traceID || root.SpanID != spanID || root.ParentSpanID != "00f067aa0ba902b7" {
		t.Errorf("the operation is at %s of %s below %s", root.SpanID, root.TraceID, root.ParentSpanID)
	}
}

// The names are OpenTelemetry's, and ours begin with windlass.
func TestAttributesOfSpans(t *testing.T) {
	spans := trace.Of("s", story())
	for i, want := range map[int]string{
		0: "gen_ai.agent.name=demo gen_ai.agent.version=9f86 gen_ai.conversation.id=s gen_ai.operation.name=invoke_agent gen_ai.provider.name=anthropic " +
			"gen_ai.usage.cache_creation.input_tokens=0 gen_ai.usage.cache_read.input_tokens=0 gen_ai.usage.input_tokens=117 gen_ai.usage.output_tokens=3 gen_ai.usage.reasoning.output_tokens=0 " +
			"windlass.cost_usd=0.6 windlass.model_calls=5 windlass.operation.id=a windlass.rounds=2 windlass.status=completed",
		1: "error.type=overloaded gen_ai.conversation.id=s gen_ai.operation.name=chat gen_ai.provider.name=aws.bedrock gen_ai.request.model=claude " +
			"gen_ai.usage.cache_creation.input_tokens=0 gen_ai.usage.cache_read.input_tokens=0 gen_ai.usage.input_tokens=7 gen_ai.usage.output_tokens=0 gen_ai.usage.reasoning.output_tokens=0 " +
			"windlass.attempt=1 windlass.cost_usd=0.1 windlass.round=1",
		2: "gen_ai.conversation.id=s gen_ai.operation.name=chat gen_ai.provider.name=anthropic gen_ai.request.model=claude gen_ai.response.finish_reasons=[tool_call] gen_ai.response.model=haiku " +
			"gen_ai.usage.cache_creation.input_tokens=2 gen_ai.usage.cache_read.input_tokens=4 gen_ai.usage.input_tokens=10 gen_ai.usage.output_tokens=3 gen_ai.usage.reasoning.output_tokens=1 " +
			"windlass.attempt=2 windlass.cost_usd=0.5 windlass.round=1",
		4: "gen_ai.conversation.id=s windlass.outcome=approve windlass.wait=policy",
		5: "gen_ai.conversation.id=s gen_ai.operation.name=execute_tool gen_ai.tool.call.id=call-1 gen_ai.tool.name=ship windlass.effect=once windlass.index=1 windlass.round=1",
		6: "error.type=max_rounds gen_ai.conversation.id=s gen_ai.operation.name=execute_tool gen_ai.tool.call.id=call-2 gen_ai.tool.name=delegate " +
			"windlass.child.agent=coder windlass.child.operation.id=task windlass.child.session=child-1 windlass.index=2 windlass.round=1",
		11: "gen_ai.conversation.id=s gen_ai.operation.name=chat gen_ai.provider.name=anthropic gen_ai.request.model=claude gen_ai.response.model=claude " +
			"gen_ai.usage.cache_creation.input_tokens=0 gen_ai.usage.cache_read.input_tokens=0 gen_ai.usage.input_tokens=100 gen_ai.usage.output_tokens=0 gen_ai.usage.reasoning.output_tokens=0 " +
			"windlass.attempt=1 windlass.purpose=compact windlass.round=2",
	} {
		if d := cmp.Diff(want, attributes(spans[i].Attributes)); d != "" {
			t.Errorf("%s (-want +got):\n%s", spans[i].Name, d)
		}
	}
}

// What people, models and tools said stands in no span, whatever it was written into.
func TestNothingThatWasSaidIsInATrace(t *testing.T) {
	text := string(trace.OTLP(trace.Of("s", story())))
	for _, w := range strings.Fields(secret) {
		if w != "the" && strings.Contains(text, w) {
			t.Errorf("%q is in %s", w, text)
		}
	}
}

// What is left open by its end ended with it; what is open still, with the last event.
func TestSpansThatNobodyEnded(t *testing.T) {
	open := []any{event.OperationAccepted{Agent: event.Agent{Name: "demo"}}, 1, event.ModelStarted{Attempt: 1, Model: "scripted/x"}, asked("x"), event.ModelStarted{Attempt: 2, Model: "scripted/x"}, event.ToolStarted{Index: 0, Name: "x"}}
	for want, end := range map[string]event.Payload{
		"":          nil,
		"cancelled": event.OperationCancelled{},
		"stalled":   event.OperationFailed{Error: event.Error{Code: "stalled", Message: secret}},
	} {
		events := open
		if end != nil {
			events = append(events[:len(events):len(events)], end)
		}
		spans := trace.Of("s", log(events...))
		sound(t, spans)
		last := at(len(events) - 1)
		its := spans[0].Error
		if want == "cancelled" && its != "" || want == "stalled" && its != want {
			t.Errorf("%q: the operation ends with %q", want, its)
		}
		if len(spans) != 4 || spans[1].Error != "_OTHER" || !spans[0].End.Equal(last.Time) || !spans[3].End.Equal(last.Time) || spans[3].Error != want {
			t.Errorf("%q:\n%s", want, show(spans))
		}
	}
}

// A log holds many operations: each has its own spans, and a trace of its own.
func TestOneOperationAmongOthers(t *testing.T) {
	var both []event.Event
	for i, e := range story() {
		other := e
		if other.Operation = "b"; i == 0 {
			other.Data = event.OperationAccepted{Traceparent: trace.Begin(trace.Context{}, "stream", "b").String()}
		}
		both = append(both, e, other)
	}
	alone, among := trace.Of("s", story()), trace.Of("s", both)
	if d := cmp.Diff(alone, among); d != "" {
		t.Errorf("among others (-alone +among):\n%s", d)
	}
	if spans := trace.Of("s", both[1:]); spans[0].TraceID == traceID || len(spans) != len(alone) {
		t.Errorf("the other one:\n%s", show(spans))
	}
	if spans := trace.Of("s", log(event.OperationStarted{}, event.OperationCancelled{})); spans != nil {
		t.Errorf("nothing was accepted, and there is\n%s", show(spans))
	}
}

func TestEveryTranscriptIsATrace(t *testing.T) {
	for file, events := range transcripts(t) {
		spans := trace.Of("s", events)
		sound(t, spans)
		counted := map[string]int{}
		for _, e := range events {
			if e.Operation == events[1].Operation {
				counted[e.Data.EventType()]++
			}
		}
		for _, s := range spans {
			what, _, _ := strings.Cut(s.Name, " ")
			counted[what]++
		}
		if counted["chat"] != counted["model.started"] || counted["execute_tool"] < counted["tool.completed"]+counted["tool.failed"] {
			t.Errorf("%s: %v\n%s", file, counted, show(spans))
		}
		for i := range events { // any beginning of a log is one too
			sound(t, trace.Of("s", events[:i]))
		}
	}
}
