// Load measures a deployment from outside, over its public HTTP and WebSocket API. It
// asserts that the work was done, and nothing about time: it prints.
//
//	go run ./tests/load                               every scenario, on a stack of its own
//	go run ./tests/load -url URL -key KEY             on any deployment
//	go test ./tests/load -run '^$' -bench . -benchtime 1x
//
// The command runs the scenarios whose goals are known, beside what other engines
// needed, and draws the curves: is the cost of a round the same in a long turn, of an
// operation in an old session? The benchmarks look at single requests, at memory and
// at the start.
//
// Law: a row whose work was not done, or not found in the log afterwards, says FAILED
// and shows no time.
package main
