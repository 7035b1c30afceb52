package turn

import (
	"fmt"
	"time"

	"windlass/eventstore/event"
)

// spent adds what one call used. What nobody wrote down, of calls that used nothing,
// costs nothing.
func spent(u event.Usage, t event.Tokens, cost event.USD) event.Usage {
	u.Tokens = u.Tokens.Plus(t)
	if cost != "" || t != (event.Tokens{}) {
		u.CostUSD = u.CostUSD.Plus(cost)
	}
	return u
}

// spend sums over all operations.
func (s *State) spend(p event.Payload) {
	if s.Spent.CostUSD == "" {
		s.Spent.CostUSD = event.NoUSD
	}
	switch d := p.(type) {
	case event.ModelStarted:
		s.Spent.ModelCalls++
	case event.ModelCompleted:
		s.Spent = spent(s.Spent, d.Usage, d.CostUSD)
	case event.TranscriptCompacted:
		s.Spent = spent(s.Spent, d.Usage, d.CostUSD)
	case event.ModelFailed:
		if d.Usage != nil {
			s.Spent = spent(s.Spent, *d.Usage, d.CostUSD)
		}
	}
}

// Budget bounds what a turn may use before its model is asked again. Zero values
// bound nothing.
type Budget struct {
	Tokens int64
	Cost   event.USD
	// Priced: the price of each of the agent's models is known.
	Priced bool
}

// overBudget is why the model is not asked again; nil if it may be.
func overBudget(op *Operation, b Budget) *event.Error {
	used := op.Usage.InputTokens + op.Usage.OutputTokens
	switch {
	case b.Tokens > 0 && used >= b.Tokens:
		return exhausted(fmt.Sprintf("the turn has used %d tokens of the %d that its agent's limits.maxTurnTokens allows", used, b.Tokens))
	case b.Cost == "":
		return nil
	case !b.Priced || !op.Usage.CostUSD.Known():
		return exhausted("the agent's limits.maxTurnCost cannot be kept: the price of its model is not known; add it to infra/prices/prices.yaml, or limit tokens instead")
	case op.Usage.CostUSD.AtLeast(b.Cost):
		return exhausted(fmt.Sprintf("the turn has cost %s USD of the %s that its agent's limits.maxTurnCost allows", op.Usage.CostUSD, b.Cost))
	}
	return nil
}

func exhausted(message string) *event.Error {
	return &event.Error{Code: "budget_exhausted", Message: message}
}

// Answered is an answer, for what should stand in the provider's cache behind it.
type Answered struct {
	Model, Agent string // its name, and the digest of the agent that asked
	At           event.Time
	// Input is how many tokens it read. Caches: some answer of the session came from a
	// cache, or went there.
	Input  int64
	Caches bool
	// Compacted: the transcript was, since.
	Compacted bool
}

func (s *State) noteAnswer(op *Operation, at event.Time, d event.ModelCompleted) {
	s.Answered = Answered{
		Model: op.Model.Name, Agent: op.Agent.Digest, At: at, Input: d.Usage.InputTokens,
		Caches: s.Answered.Caches || d.Usage.CachedTokens > 0 || d.Usage.CacheWriteTokens > 0,
	}
}

const (
	// smallestCached is how long a prefix is at least that all providers keep, in tokens.
	smallestCached = 4096
	// keptFor is how long they keep it at least.
	keptFor = 5 * time.Minute
)

// cacheMiss is why less than half of what the request before had read came from the
// provider's cache; empty if it did, or nothing was to be expected.
func (s *State) cacheMiss(op *Operation, got event.Tokens, now event.Time) string {
	before := s.Answered
	switch {
	case !before.Caches || before.Input < smallestCached || got.CachedTokens >= before.Input/2:
		return ""
	case before.Model != op.Model.Name:
		return event.MissModel
	case before.Agent != op.Agent.Digest:
		return event.MissAgent
	case before.Compacted:
		return event.MissCompacted
	case now.Sub(before.At.Time) > keptFor:
		return event.MissExpired
	}
	return event.MissProvider
}
