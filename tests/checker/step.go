package checker

import (
	"encoding/json"

	"windlass/tests/client"
)

// call is one call of a round, and what the log says became of it.
type call struct {
	Index        int
	CallID, Name string
	Arguments    json.RawMessage

	effect  string // what its start said; empty before
	open    bool   // begun, without an outcome
	unknown bool   // nobody knows whether it took effect
	asked   bool   // a person was asked
	said    string // what the person said
	gate    string // what a person said when policy asked: "" not asked, "asked", or the answer
	results int

	child  child
	again  bool   // it was to be called back, and may be begun again if it is not
	answer string // what a callback brought: tool.completed or tool.failed
}

// unnamed are the events of a call that do not say its name.
var unnamed = map[string]bool{"approval.resolved": true, "child.submitted": true, "child.settled": true, "child.abandoned": true, "tool.answered": true}

// call is the one that an event is about; nil if there is none. Nothing follows its result.
func (c *checker) call(op *Operation, e client.Event, d data) *call {
	r := op.round[e.Round]
	if r == nil || d.Index < 0 || d.Index >= len(r.calls) || r.calls[d.Index].Name != d.Name && !unnamed[e.Type] {
		c.bad(e, "call %d of round %d is not there", d.Index, e.Round)
		return nil
	}
	k := r.calls[d.Index]
	if k.results > 0 {
		c.bad(e, "call %d has its result already", d.Index)
	}
	return k
}

func (c *checker) step(op *Operation, e client.Event, d data) {
	k := c.call(op, e, d)
	if k == nil {
		return
	}
	switch e.Type {
	case "tool.started":
		c.begun(e, k, d)
	case "tool.unknown":
		op.Unknowns++
		if !k.open || k.effect != "once" {
			c.bad(e, "call %d is not one that was begun and must not be repeated", d.Index)
		}
		k.open, k.unknown, k.asked, k.said = false, true, false, ""
	case "approval.requested":
		op.Asked++
		if d.Reason == "policy" {
			if k.effect != "" || k.gate != "" || k.child.session != "" {
				c.bad(e, "call %d was asked about, or begun, before", d.Index)
			}
			k.gate = "asked"
			return
		}
		if !k.unknown || k.asked {
			c.bad(e, "nobody has to be asked about call %d", d.Index)
		}
		k.asked = true
	case "approval.resolved":
		if k.gate == "asked" {
			k.gate = d.Decision
			return
		}
		if !k.asked || k.said != "" {
			c.bad(e, "nobody was asked about call %d", d.Index)
		}
		k.said = d.Decision
	case "tool.completed", "tool.failed":
		op.Results++
		c.result(e, k, d)
	}
}

// begun: a call begins once. One that must not be repeated begins again only when
// its tool (then nobody was asked) or a person has found that it did not happen.
func (c *checker) begun(e client.Event, k *call, d data) {
	switch {
	case k.child.session != "":
		c.bad(e, "call %d begins here, and another agent carries it out", d.Index)
	case k.gate != "" && k.gate != "approve":
		c.bad(e, "call %d begins, and a person said %q", d.Index, k.gate)
	case k.effect == "":
	case k.again && k.effect != "once":
	case k.effect != "once" || k.open || !k.unknown:
		c.bad(e, "call %d begins again", d.Index)
	case k.asked && k.said != "did_not_happen":
		c.bad(e, "call %d begins again, and a person said %q", d.Index, k.said)
	}
	k.effect, k.open, k.unknown, k.asked, k.said, k.again = d.Effect, true, false, false, "", false
}

// result: each call has one, and it says no more than is known.
func (c *checker) result(e client.Event, k *call, d data) {
	if k.CallID != d.CallID {
		c.bad(e, "a result of no call")
	}
	k.results++
	failed := e.Type == "tool.failed"
	switch {
	case k.child.session != "":
		c.reported(e, k, d)
	case k.answer != "":
		if k.answer != e.Type {
			c.bad(e, "call %d was called back about with a %s", d.Index, k.answer)
		}
	case k.effect == "" && !failed:
		c.bad(e, "call %d was never begun", d.Index)
	case failed && k.unknown && k.said != "did_not_happen" && d.Error.Code != "outcome_unknown":
		c.bad(e, "call %d may have taken effect, and its result says %q", d.Index, d.Error.Code)
	case failed && k.effect == "once" && k.open && (d.Error.Code == "cancelled" || d.Error.Code == "abandoned"):
		c.bad(e, "call %d was begun, and its result says %q", d.Index, d.Error.Code)
	case !failed && k.unknown && k.asked && k.said != "happened":
		c.bad(e, "a person was asked about call %d and said %q", d.Index, k.said)
	}
	k.open = false
}
