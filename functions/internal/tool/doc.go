// Package tool is what a model can do besides talk. A tool is three files: what
// it does (name.go), what the model reads of it (name.md) and its test.
//
// Each tool declares what repeating a call would do ([Effect]), how long a call
// may take and what its arguments are (a JSON Schema, inferred from a struct);
// package turn enforces the first, package loop the second, this package the
// third. Whatever goes wrong becomes a coded error that the model reads: bad
// arguments end a call, never a turn.
//
// What a call does to files becomes durable with its result, or not at all: a call
// that is repeated finds the files as they were. That makes moves, patches and
// deletions [Idempotent].
//
// Its law: a tool's arguments and output are untrusted text. It never sees a file, or
// an output, of another session.
package tool
