// Package memory is an [eventstore.Driver] in memory, for tests of what stands
// above it. Nothing outlives the process.
//
// Its law: it is at least as strict as the real backend. It accuses by a panic
// whoever would change what may never change: a record or claim written over as
// a row, a commit's id used at a second place or with another content. Its pages
// end where DynamoDB's do, at [eventstore.PageBytes], and say "more" when
// DynamoDB would. Bytes are copied at its border, both ways.
//
// It must never import anything of Windlass but eventstore.
package memory
