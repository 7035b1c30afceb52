// Package chat asks a model over OpenAI's Chat Completions, or over any of the many
// servers that speak it: the base URL is the caller's.
//
// Its law: one call is one request. The SDK's retries are off, and the request
// follows from what it is given alone, so that a round's request begins with the
// bytes of the one before. No field is sent that a strict server refuses, unless it
// is needed; the few servers that want something else are known by their host.
//
// Servers differ, and little is relied on. Reasoning may stand in any of four fields
// and is given back under the name that the server used itself; so is what belongs
// to a call. A call may come whole or in pieces, with or without an index or an id.
// Usage may be missing, or come often: the last counts. Only the first choice is
// read. A server that does not stream is known by what it sends.
//
// An answer ends with a finish_reason, with [DONE], or, where a server sends neither,
// with the usage that stands alone behind the text. What ends without any of them
// was cut off, however clean the connection's end: half an answer is never taken for
// a whole one. A connection that breaks after the finish_reason costs nothing if the
// usage had come, and is a fault if not, because an error may have been lost with it.
//
// It must never import the loop, the log or another provider.
package chat
