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
// One thing differs, because a goroutine cannot be killed: a function that
// ignores its deadline keeps running with a cancelled context, and keeps its
// place in the concurrency limit until it returns.
//
// A [Sandbox] is a port: [InProcess] is one implementation, child processes
// over the Runtime API can be another. This package never imports another one
// of this module.
package lambda
