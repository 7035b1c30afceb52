package flaky

import "windlass/eventstore"

// Op names a method of the driver.
type Op string

const (
	Append  Op = "append"
	Records Op = "records"
	Row     Op = "row"
	Rows    Op = "rows"
	Erase   Op = "erase"
)

// Call is one call of the driver, as a script sees it.
type Call struct {
	// N counts all calls, from 1; Nth counts those of the same Op.
	N, Nth int
	Op     Op
	// Write is what is appended; its zero value for reads.
	Write eventstore.Write
}

// Fault is what becomes of a call.
type Fault string

const (
	// Pass lets the call through.
	Pass Fault = "pass"
	// Throttle refuses it before it reaches the driver: Throttled.
	Throttle Fault = "throttle"
	// Fail loses it before it reaches the driver: Unavailable.
	Fail Fault = "fail"
	// Lose lets it through and loses the answer, whatever it was: Unavailable.
	Lose Fault = "lose"
	// Twice sends it twice and gives the second answer.
	Twice Fault = "twice"
	// Hold keeps an append back until [Driver.Land] or [Driver.Drop], and answers
	// Unavailable: its sender gives up on a request that is still under way. A read
	// that is held has failed.
	Hold Fault = "hold"
)

// When chooses calls. It may keep state of its own: it is asked once for each
// call that no earlier rule took, never concurrently.
type When func(Call) bool

// Rule is one line of a script.
type Rule struct {
	When When
	Do   Fault
}

// Script is tried from the top; the first rule that matches decides. Calls that
// match none pass.
type Script []Rule

func (s Script) fault(c Call) Fault {
	for _, r := range s {
		if r.When(c) {
			return r.Do
		}
	}
	return Pass
}

// Number matches the n-th call of all.
func Number(n int) When { return func(c Call) bool { return c.N == n } }

// From matches the n-th call of all and every later one: the caller's connection
// is gone for good.
func From(n int) When { return func(c Call) bool { return c.N >= n } }

// Nth matches the n-th call of one method.
func Nth(op Op, n int) When { return func(c Call) bool { return c.Op == op && c.Nth == n } }

// Every matches each call of a method.
func Every(op Op) When { return func(c Call) bool { return c.Op == op } }

// Reads matches whatever changes nothing.
func Reads(c Call) bool { return c.Op != Append && c.Op != Erase }

// By matches the appends of one driver of turns.
func By(name string) When {
	return func(c Call) bool { return c.Op == Append && c.Write.Record.By == name }
}

// Sequence lets the n-th append meet the n-th fault; those behind them pass.
func Sequence(faults ...Fault) Script {
	var s Script
	for i, f := range faults {
		s = append(s, Rule{When: Nth(Append, i+1), Do: f})
	}
	return s
}
