// Package export sends the spans of operations that have settled to a collector that
// speaks OTLP over HTTP, in JSON.
//
// Its law: nobody waits long for it, and nothing fails because of it. Each attempt is the
// only one and is bounded; a collector that does not answer is left alone for a while.
// Spans follow from the log, so one that is sent twice is the same one, and one that was
// not sent can still be had from there. No log has a header, or a body, of either side.
package export
