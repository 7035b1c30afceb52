// Package eventbridge is the default event bus of the embedded stack: rules
// with exact-value patterns, schedules at a fixed rate, functions as targets.
//
// Its law: an event is durable with what caused it. [Service.Put] writes the
// deliveries into the caller's own transaction, and a delivery leaves the disk
// only once its function has answered. So every target sees every matching
// event at least once, in no particular order, over any number of crashes.
//
// Retries are AWS's. A target that cannot be invoked (throttled, unavailable)
// is tried for 24 hours, at most 185 times. A function that was invoked and
// failed is Lambda's asynchronous invocation: tried again after one minute and
// once more after two, then dropped, with an error in the log.
//
// A schedule runs first one period after it was first seen. Its last run is
// kept, so that a restart after downtime runs it once, at once.
//
// It knows no function and no other service: [Options.Invoke] is its port. Of
// this module it imports its own pattern language alone.
package eventbridge
