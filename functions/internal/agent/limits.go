package agent

import (
	"fmt"
	"windlass/eventstore/event"
)

// MaxRounds is the most that an agent's limit may allow.
const MaxRounds = 128

// Limits bound a turn.
type Limits struct {
	// MaxRounds is from 1 to 128; absent is 128.
	MaxRounds int `json:"maxRounds" yaml:"maxRounds"`
	// AllowLoops lets rounds ask for the very same calls again and again; otherwise
	// the third in a row is warned of, and the fifth ends the turn.
	AllowLoops bool `json:"allowLoops,omitempty" yaml:"allowLoops"`
	// MaxOutputTokens bounds one answer, reasoning included; absent for the provider's bound.
	MaxOutputTokens int `json:"maxOutputTokens,omitempty" yaml:"maxOutputTokens"`
	// MaxTurnTokens and MaxTurnCost, a decimal of US dollars, bound a turn: the model is not
	// asked again when they are used up. Absent for no bound.
	MaxTurnTokens int64     `json:"maxTurnTokens,omitempty" yaml:"maxTurnTokens"`
	MaxTurnCost   event.USD `json:"maxTurnCost,omitempty" yaml:"maxTurnCost"`
	// CompactAt is from how many tokens on the transcript is compacted, and CompactKeep how
	// many of its end are kept; absent are 120,000 and 40,000. A smaller model needs less.
	CompactAt   int64 `json:"compactAt,omitempty" yaml:"compactAt"`
	CompactKeep int64 `json:"compactKeep,omitempty" yaml:"compactKeep"`
}

// Of a transcript that is too long, by default.
const (
	defaultCompactAt   = 120_000
	defaultCompactKeep = 40_000
	smallestCompactAt  = 1_000
)

// check says which limit is out of its bounds.
func (l Limits) check() error {
	switch {
	case l.MaxRounds < 1 || l.MaxRounds > MaxRounds:
		return fmt.Errorf("limits.maxRounds is %d; it is from 1 to %d", l.MaxRounds, MaxRounds)
	case l.MaxOutputTokens < 0 || l.MaxTurnTokens < 0:
		return fmt.Errorf("limits.maxOutputTokens and limits.maxTurnTokens are from 1 up; leave them out for no limit")
	case l.MaxTurnCost != "" && !l.MaxTurnCost.Known():
		return fmt.Errorf("limits.maxTurnCost is %q; it is a decimal of US dollars, such as 0.50", l.MaxTurnCost)
	case l.CompactAt != 0 && l.CompactAt < smallestCompactAt, l.CompactKeep < 0:
		return fmt.Errorf("limits.compactAt is %d tokens; it is %d or more", l.CompactAt, smallestCompactAt)
	}
	if l = l.whole(); l.CompactKeep > l.CompactAt/2 {
		return fmt.Errorf("limits.compactKeep is %d tokens; it is at most half of compactAt, which is %d", l.CompactKeep, l.CompactAt)
	}
	return nil
}

// whole fills in what is left out.
func (l Limits) whole() Limits {
	if l.CompactAt == 0 {
		l.CompactAt = defaultCompactAt
	}
	if l.CompactKeep == 0 {
		l.CompactKeep = min(defaultCompactKeep, l.CompactAt/3)
	}
	return l
}
