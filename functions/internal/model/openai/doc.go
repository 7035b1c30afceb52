// Package openai asks a model over OpenAI's Responses API, or over any server
// that speaks it: the base URL is the caller's.
//
// Its law: one call is one request. The SDK's retries are off, nothing is stored
// with the provider, and the request follows from the transcript alone, so that a
// round's request begins with the bytes of the one before. Servers differ in how
// they number, order and end their events; what is relied on is written at each
// place. An error names the provider's status and codes, never its text, which
// may quote the key or the prompt.
//
// It must never import the loop, the log or another provider.
package openai
