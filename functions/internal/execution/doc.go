// Package execution starts turns: it keeps the Step Functions execution of the
// operation at the head of a session under way.
//
// [Starter.Wake] is the one procedure of all wakers: api after it accepted,
// dispatch for every commit that may let something start, recover for what was
// left behind. It looks at the head of the log and at the execution's status,
// never at how old the log looks, and may be called any number of times by any
// number of wakers at once.
//
// A turn that waits for a person is parked: its state machine waits for a token that
// stands in the live table ([Starter.Park]), and a waker that finds nothing to wait
// for answers it.
package execution
