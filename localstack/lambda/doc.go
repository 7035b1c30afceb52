// Package lambda runs the product's functions as AWS Lambda would: by name,
// one invocation at a time in each sandbox, within a time limit, a payload
// limit and a concurrency limit.
//
// Its law: a caller sees what it would see on AWS. A function's error keeps the
// type name that the Go runtime reports (a messages.InvokeResponse_Error
// returned by value keeps its Type, wrapping hides it); a panic ends its
// sandbox; at the time limit the caller gets Sandbox.Timedout, whatever the
// function does; a caller that goes away does not stop the function; sandboxes
// share nothing, so that state kept between invocations is warm state and never
// a common memory.
//
// A [Sandbox] is a port with two implementations. [InProcess] calls a handler.
// One thing differs there, because a goroutine cannot be killed: a function that
// ignores its deadline keeps running with a cancelled context, and keeps its
// place in the concurrency limit until it returns. [Processes] starts the real
// executables and serves each the Runtime API: the time limit kills, an exit is
// Runtime.ExitError at once, and nothing outlives this process. Two things
// differ there: the start of a process counts in its first invocation's time,
// and one that cannot start is not tried a second time for the same invocation.
//
// This package never imports another one of this module.
package lambda
