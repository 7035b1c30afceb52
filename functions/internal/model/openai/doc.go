// Package openai asks a model over OpenAI's Responses API, or over any server
// that speaks it: the base URL is the caller's.
//
// Its law: one call is one request. The SDK's retries are off, nothing is stored
// with the provider, and the request follows from the messages alone, so that a
// round's request begins with the bytes of the one before. Servers differ in how
// they number, order and end their events; what is relied on is written at each
// place. An error names the provider's status and codes, never its text, which
// may quote the key or the prompt.
//
// Reasoning goes back to its model as it came: encrypted, with its summary, and
// without the id, which names nothing where nothing is stored and which servers
// change from event to event. Its raw text is never sent: the API refuses it. What
// is not encrypted cannot be given back, and stays in the log alone.
//
// It must never import the loop, the log or another provider.
package openai
