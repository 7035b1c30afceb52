// Package projection turns a transcript into the messages that a model provider is
// sent: roles that alternate, each call with its one result right behind it, text
// that every server can read, arguments that are JSON objects, ids and names of a
// form that the protocol takes.
//
// Its law: pure and total. Any transcript gives messages that keep the rules, and
// the same items give the same messages whatever follows them: a request begins
// with the messages of the one before. What had to be changed is told as
// [event.Repair], so that it stands in the log; what only another provider can
// read is left out, never edited.
//
// It imports the transcript and the events, and never a provider.
package projection
