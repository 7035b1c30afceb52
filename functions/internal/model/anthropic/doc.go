// Package anthropic asks a model over Anthropic's Messages API, or over any server
// that speaks it: the base URL is the caller's.
//
// Its law: one call is one request. The SDK's retries, logs, traces and environment
// are off, and the request follows from what is asked alone. A block that is opaque
// here (signed or redacted thinking, a tool that the server ran) goes back to its
// model byte for byte: newer models refuse thinking before which anything changed.
// What a model may be told to think, and how long it may answer, follows from its
// name; see thinking.go. Servers differ in what they leave out of their events; what
// is relied on is written at each place.
//
// It must never import the loop, the log or another provider.
package anthropic
