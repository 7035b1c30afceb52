package trace

import (
	"strconv"
	"strings"

	"windlass/eventstore/event"
)

func (f *Fold) applyModel(e event.Event) {
	switch d := e.Data.(type) {
	case event.ModelStarted:
		f.asks(e, d)
	case event.ModelCompleted:
		f.noteCalls(e.Round, d.Items)
		if s := f.attempts[step{e.Round, d.Attempt}]; s != nil && s.open() {
			f.answered(s, d.Model, d.Usage, d.CostUSD)
			s.set("gen_ai.response.finish_reasons", []string{finish(d.Stop)})
			s.set("windlass.cache_miss", word(d.CacheMiss))
			s.end(e.At.Time, "")
		}
	case event.TranscriptCompacted: // it names no attempt: it ends the one that is open
		if s := f.model; s != nil && s.open() {
			f.answered(s, d.Model, d.Usage, d.CostUSD)
			s.end(e.At.Time, "")
		}
	case event.ModelFailed:
		if s := f.attempts[step{e.Round, d.Attempt}]; s != nil && s.open() {
			if d.Usage != nil {
				tokens(s, *d.Usage)
			}
			cost(s, d.CostUSD)
			s.end(e.At.Time, code(d.Error.Code))
		}
	}
}

// asks begins an attempt. Attempts of a round are numbered through, whatever is asked.
func (f *Fold) asks(e event.Event, d event.ModelStarted) {
	at := step{e.Round, d.Attempt}
	if f.attempts[at] != nil {
		return
	}
	if f.model != nil {
		f.model.end(e.At.Time, other) // nobody wrote down what became of it
	}
	provider, model := split(d.Model)
	s := f.begin(f.own.step("attempt", at.round, at.n), f.own.SpanID, named("chat", model), e.At.Time)
	s.Kind = Client
	s.set("gen_ai.operation.name", "chat")
	s.set("gen_ai.provider.name", provider)
	s.set("gen_ai.request.model", model)
	s.set("windlass.round", e.Round)
	s.set("windlass.attempt", d.Attempt)
	s.set("windlass.purpose", word(d.Purpose))
	f.root().set("gen_ai.provider.name", provider)
	f.root().set("windlass.rounds", e.Round)
	f.attempts[at], f.model = s, s
}

func (f *Fold) answered(s *Span, model string, u event.Tokens, paid event.USD) {
	_, name := split(model)
	s.set("gen_ai.response.model", name)
	tokens(s, u)
	cost(s, paid)
}

// noteCalls keeps what the calls of an answer are called; their arguments are not kept.
func (f *Fold) noteCalls(round int, items []event.ModelItem) {
	for _, it := range items {
		if it.Kind == event.ItemToolCall && it.Call != nil {
			f.asked[step{round, it.Call.Index}] = event.ToolCall{CallID: it.Call.CallID, Name: it.Call.Name}
		}
	}
}

// providers have other names in OpenTelemetry.
var providers = map[string]string{"bedrock": "aws.bedrock"}

// split reads "provider/name".
func split(model string) (provider, name string) {
	provider, name, _ = strings.Cut(model, "/")
	if its := providers[provider]; its != "" {
		provider = its
	}
	return word(provider), word(name)
}

// finishes are OpenTelemetry's words for why a model stopped.
var finishes = map[string]string{"end": "stop", "tools": "tool_call", "refusal": "content_filter"}

func finish(stop string) string {
	if its := finishes[stop]; its != "" {
		return its
	}
	return code(stop)
}

// tokens counts as OpenTelemetry does: those of the cache are among the input's.
func tokens(s *Span, t event.Tokens) {
	s.set("gen_ai.usage.input_tokens", t.InputTokens)
	s.set("gen_ai.usage.output_tokens", t.OutputTokens)
	s.set("gen_ai.usage.cache_read.input_tokens", t.CachedTokens)
	s.set("gen_ai.usage.cache_creation.input_tokens", t.CacheWriteTokens)
	s.set("gen_ai.usage.reasoning.output_tokens", t.ReasoningTokens)
}

// cost is shown as a number, for sums; the log has it exactly.
func cost(s *Span, u event.USD) {
	if n, err := strconv.ParseFloat(string(u), 64); err == nil && u.Known() {
		s.set("windlass.cost_usd", n)
	}
}
