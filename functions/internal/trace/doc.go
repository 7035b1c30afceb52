// Package trace shows an operation as spans: the turn, each attempt of the model, each
// call and what it waited for, under the names that OpenTelemetry has for agents. One
// trace goes from whoever submitted, by way of every round and call, into the children.
//
// Its law: a trace is a fold of the log. Ids follow from the log too, so that whoever
// derives a span gives it the same one, once or again, and a child finds its parent
// without being told. What people, models and tools said never shows: no prompt, no
// argument, no output, no message; names and codes alone, and only such as look like it.
//
// It is pure, and imports nothing but the events.
package trace
