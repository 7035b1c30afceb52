// Package proof explores the turn protocol as it is coded: every interleaving of
// drivers, executions, parked tokens, wakers, clients and time that a scenario's
// budget of faults allows, breadth first, until nothing new is reached.
//
// What decides is the real code: turn.Next, turn.Cancel, turn.Revive, the fold and
// the summary, on commits that index.Draft builds. What surrounds it is written
// here a second time, step by step: what package loop holds in memory and does
// with an effect, what package execution reads first and second, what Step
// Functions and Lambda may do to both. A step is as small as what another party
// can come between.
//
// The log is a value ([commit]), not an eventstore.Journal: a search branches, and
// a Journal cannot. It has the Journal's one rule, that an append at any place but
// the end is refused; a test plays walks of the search against a real Journal and
// finds the same log. The Journal's own promises, such as an append whose answer is
// lost, have their own suite in eventstore/storetest.
//
// After every step the laws are checked, on the events alone ([ledger]) and on what
// really happened outside. When all is explored: from every state the one in which
// everything is settled can be reached without another fault, and nothing repeats
// for ever. Each rule can be switched off ([rule]); then a scenario must find out.
//
// Two worlds of one [form] are one: that is what keeps the search small, and a test
// samples it. So is a late driver gone that the code will stop whatever it learns.
//
// go test -v shows each scenario's size and verdict, and with each missing rule the
// shortest way to what it breaks; -full explores the large budgets, which takes hours.
//
// A child is what its parent can tell of it: it begins, it ends, and what passes between
// the two is late, told twice, or lost ([child]). Its own turn is any other's.
//
// Not explored: approvals by policy, which the code does not have yet; values that
// stand apart; commits that are too large; more than two operations, calls of a
// round or drivers at once.
//
// Its law: it decides nothing that the code decides. It imports the pure packages,
// and no package that does I/O; nothing but its own tests imports it.
package proof
