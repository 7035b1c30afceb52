package proof

import (
	"strings"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// class is what repeating a call would do, and how its outcome can be found out.
type class string

const (
	noCall     class = ""
	idempotent class = "idempotent"
	once       class = "once" // only a person can find out
	asks       class = "asks" // once, and its tool can be asked
	// gated is idempotent, and a person has to allow it.
	gated class = "gated"
	// delegated is another agent's.
	delegated class = "delegated"
)

// round is the calls of one.
type round [calls]class

func (c class) once() bool { return c == once || c == asks }

// scenario is a plan for the model, what it may say of unknown outcomes, and a
// budget.
type scenario struct {
	name, what string
	// plan holds the calls of a's rounds; a round without calls ends the turn. The
	// second operation has none.
	plan []round
	// doubts: Reconcile may also say that it does not know.
	doubts bool
	// forever: a's model goes on asking for the calls of its last round.
	forever bool
	// compacts: in every round the transcript is too long, and a summary is asked for
	// first.
	compacts bool
	// second: b is submitted too, at any time.
	second bool
	// recover: recover's schedule runs, and dispatch: the table's stream is read. One
	// of the two has to do.
	recover, dispatch bool
	wakers            int
	rounds            uint8           // of one invocation; 0 for no cap
	delays            []time.Duration // between repeated starts of a step; one more is poison
	left              budget
	without           rule
	// grown and grownPlan are those of a long search, where they differ.
	grown     budget
	grownPlan []round
	// most bounds the search, in states.
	most int
}

// sized is the scenario for a test run, or for a long search.
func (s scenario) sized(full bool) scenario {
	if full && s.grown != (budget{}) {
		s.left = s.grown
	}
	if full && s.grownPlan != nil {
		s.plan = s.grownPlan
	}
	return s
}

// unit is how long everything lasts that lasts: so what was begun first is over
// first, and the order of deadlines says all there is to say about them.
const unit = 2 * turn.UntilMargin

// atOnce lets repeated starts follow each other without a wait: whoever would have
// waited might as well have been slow.
var atOnce = []time.Duration{0, 0, 0, 0}

var (
	fakeUsage = event.Tokens{InputTokens: 1, OutputTokens: 1}
	okText    = event.Text("done")
)

// class are the calls that a round asks for.
func (x *explorer) class(op, n int) round {
	switch {
	case op != 0 || n < 1:
		return round{}
	case n <= len(x.plan):
		return x.plan[n-1]
	case x.forever:
		return x.plan[len(x.plan)-1]
	}
	return round{}
}

// answer is what the model says in a round.
func (x *explorer) answer(op, round int) *turn.Answer {
	a := &turn.Answer{Usage: fakeUsage, Stop: "tools"}
	for i, c := range x.class(op, round) {
		if c != noCall { // providers use the same call ids again
			a.Items = append(a.Items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: "c", Name: string(c), Arguments: argument[round]}})
		}
	}
	if len(a.Items) == 0 {
		a.Stop, a.Items = "end", []event.ModelItem{{Kind: event.ItemText, Text: &okText}}
	}
	return a
}

var argument = [maxRounds + 2]event.Value{event.Text("0"), event.Text("1"), event.Text("2"), event.Text("3"), event.Text("4")}

var modelFault = &turn.Answer{Fault: &turn.Fault{Error: event.Error{Code: "model_error", Message: "m"}}}

// answerTime is how long a question counts.
const answerTime = 3 * unit

// plan says how a call would be carried out.
func plan(c event.ToolCall) turn.Plan {
	p := turn.Plan{Effect: string(idempotent), Timeout: unit - turn.UntilMargin}
	if class(c.Name) == gated {
		p.Ask, p.AskFor = true, answerTime
	}
	if class(c.Name) == delegated {
		p.Delegate = delegation(c)
	}
	if class(c.Name).once() {
		p.Effect, p.Reconciles = turn.Once, strings.HasPrefix(c.Name, string(asks))
	}
	return p
}
