package proof

import "time"

// scenarios are those of the checked protocol. Their budgets are what a test run can
// afford; grown is what a long one explores.
var scenarios = []scenario{
	{name: "calm", what: "no faults; more is said, a and b are cancelled",
		plan: planned(round{asks, idempotent}), second: true, recover: true, dispatch: true, wakers: 1, left: budget{Steer: 1, Cancel: 3}},
	{name: "steps", what: "no faults; one round a task",
		plan: planned(round{asks, idempotent}, round{once}), recover: true, wakers: 1, rounds: 1, left: budget{Steer: 1, Cancel: 1, Ambig: 1}},
	{name: "crash", what: "crashes, a timeout",
		plan: planned(round{asks, idempotent}), recover: true, wakers: 1, doubts: true, left: budget{Crash: 1, Timeout: 1}, grown: budget{Crash: 2, Timeout: 1}},
	{name: "zombie", what: "timeouts, a crash, an unclear effect",
		plan: planned(round{asks}), recover: true, wakers: 1, doubts: true, left: budget{Crash: 1, Timeout: 1, Ambig: 1}, grown: budget{Crash: 1, Timeout: 2, Ambig: 1}},
	{name: "fail", what: "execution failures, a crash",
		plan: planned(round{asks, idempotent}), recover: true, wakers: 1, left: budget{Crash: 1, ExecFail: 1}, grown: budget{Crash: 1, ExecFail: 2}},
	{name: "cancel", what: "a is cancelled; crash, timeout",
		plan: planned(round{asks, idempotent}), recover: true, wakers: 1, left: budget{Crash: 1, Timeout: 1, Cancel: 1}, grown: budget{Crash: 1, Timeout: 1, ExecFail: 1, Cancel: 1}},
	{name: "queue", what: "b waits behind a, and both may be cancelled; crash, failure",
		plan: planned(round{idempotent}), second: true, recover: true, wakers: 1, left: budget{Crash: 1, Cancel: 3}, grown: budget{Crash: 1, Timeout: 1, ExecFail: 1, Cancel: 3}},
	{name: "steer", what: "more is said, the model fails; crash, timeout",
		plan: planned(round{idempotent}), recover: true, wakers: 1, left: budget{Crash: 1, Timeout: 1, Steer: 1, ModelFail: 1}, grown: budget{Crash: 2, Timeout: 1, Steer: 2, ModelFail: 1}},
	{name: "unknown", what: "Reconcile may not know, a person settles it; crash, timeout, unclear effect, cancel",
		plan: planned(round{asks}), recover: true, wakers: 1, doubts: true, left: budget{Crash: 1, Ambig: 1, Cancel: 1, Day: 1}, grown: budget{Crash: 1, Timeout: 1, Ambig: 1, Cancel: 1, Day: 1}},
	{name: "person", what: "only a person can find out, in two rounds; execution failure, crash",
		plan: planned(round{once, idempotent}, round{once}), recover: true, wakers: 1, left: budget{Ambig: 2, ExecFail: 1}, grown: budget{Crash: 1, Ambig: 2, ExecFail: 1, Steer: 1}},
	{name: "wakers", what: "two wakers at once; execution failures, a lost record, a person is asked",
		plan: planned(round{idempotent}), recover: true, dispatch: true, wakers: 2, left: budget{ExecFail: 1, Drop: 1}, grown: budget{Ambig: 1, ExecFail: 1, Drop: 1}, grownPlan: planned(round{once})},
	{name: "roll", what: "a turn goes on in a new generation; crash, timeout, failure",
		plan: planned(round{idempotent}), recover: true, wakers: 1, left: budget{Roll: 1, Crash: 1, Timeout: 1}, grown: budget{Roll: 1, Crash: 1, Timeout: 1, ExecFail: 1}},
	{name: "spont", what: "wakers for no reason, without recover; failures",
		plan: planned(round{idempotent}), dispatch: true, wakers: 2, left: budget{Spont: 1, Roll: 1}, grown: budget{Spont: 2, Roll: 1}},
	{name: "nodisp", what: "no recover at all: dispatch alone has to do; crash, timeout, unclear effect, cancel",
		plan: planned(round{once}), second: true, dispatch: true, wakers: 1, left: budget{Ambig: 1, Cancel: 1}, grown: budget{Crash: 1, Timeout: 1, Ambig: 1, Cancel: 1}},
	{name: "poison", what: "three starts are poison; crashes, a timeout",
		plan: planned(round{asks, idempotent}), recover: true, wakers: 1, delays: []time.Duration{0, 0}, left: budget{Crash: 2, Timeout: 1}, grown: budget{Crash: 3, Timeout: 1}},
	{name: "slow", what: "repeated starts are spaced; crash, timeout, the model fails",
		plan: planned(round{asks, idempotent}), recover: true, wakers: 1, delays: []time.Duration{unit, unit, unit, unit}, left: budget{Crash: 1, Timeout: 1}, grown: budget{Crash: 2, Timeout: 1, ModelFail: 1}},
	{name: "short", what: "an invocation's time runs short anywhere; crash",
		plan: planned(round{asks, idempotent}), recover: true, wakers: 1, left: budget{Short: 1, Crash: 1}, grown: budget{Short: 2, Crash: 1, Timeout: 1}},
	{name: "cap", what: "the model asks for tools for ever; more is said",
		plan: planned(round{idempotent}), forever: true, recover: true, wakers: 1, left: budget{Steer: 1, Crash: 1}, grown: budget{Steer: 2, Crash: 1, Timeout: 1}},
	{name: "compact", what: "every round asks for a summary first, more is said, the model fails; crash, timeout, cancel",
		plan: planned(round{idempotent}), compacts: true, recover: true, wakers: 1, left: budget{Crash: 1, Steer: 1, ModelFail: 1, Cancel: 1}, grown: budget{Crash: 1, Timeout: 1, Steer: 1, ModelFail: 2, Cancel: 1}},
	{name: "gate", what: "a person allows a call, or does not, or is too late; crash, timeout, cancel",
		plan: planned(round{gated, idempotent}), recover: true, wakers: 1, left: budget{Crash: 1, Timeout: 1, Cancel: 1}, grown: budget{Crash: 2, Timeout: 1, Cancel: 1, Steer: 1}},
	{name: "gates", what: "two calls wait for a person; crash, execution failure",
		plan: planned(round{gated, gated}), recover: true, dispatch: true, wakers: 1, left: budget{Crash: 1, ExecFail: 1}, grown: budget{Crash: 1, Timeout: 1, ExecFail: 1}},
	{name: "pair", what: "two calls that must not be repeated; crash, timeout",
		plan: planned(round{asks, asks}), recover: true, wakers: 1, left: budget{Timeout: 1}, grown: budget{Crash: 1, Timeout: 1, Ambig: 1}},
}

func planned(rounds ...round) []round { return rounds }
