package turn

import (
	"slices"
	"time"
)

const (
	// triesBeforeFallback is how often a model is asked that is overloaded, if the agent
	// has another.
	triesBeforeFallback = 2
	// longWait is not waited for, if the agent has another model.
	longWait = 30 * time.Second
)

// next is the model that is asked next: the one that was asked last, so that what it
// has cached and thought is of use, or the agent's next one.
func (op *Operation) next(me Situation) string {
	i := max(slices.Index(me.Models, op.Model.Name), 0)
	if op.Model.Fallback {
		i++
	}
	if i >= len(me.Models) {
		return op.Model.Name
	}
	return me.Models[i]
}

// fallsBack: the agent has another model, and it may do better. A request that is
// wrong is wrong for all of them.
func (op *Operation) fallsBack(f *Fault, me Situation) bool {
	i := max(slices.Index(me.Models, op.Model.Name), 0)
	switch {
	case i+1 >= len(me.Models):
		return false
	case f.Permanent:
		return f.Error.Code == "model_denied" || f.Error.Code == overflow
	}
	// A list is used to its end: where attempts are few, each model has one.
	left, behind := MaxAttempts-op.Model.Failures-1, len(me.Models)-i-1
	return op.Model.Tries+1 >= triesBeforeFallback || left <= behind || f.After > longWait
}
