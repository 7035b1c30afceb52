// Package eventstore is an append-only log of event streams over a table of
// items, DynamoDB where the system runs.
//
// # The log
//
// A stream is one session's history. It grows by commits: 1..n events written
// atomically as one item, keyed by the first event's seq. Seqs are dense from
// 1. An append names the [Position] it was decided at and is stored only if
// nobody appended there before; a loser learns who won ([Conflict]), folds what
// came between and decides again. A lost append is never replayed as it was.
//
// A commit may claim a key that must be unique in its stream ([Claim]) and put
// or delete rows that are read without the log ([Row]); all of it is stored, or
// nothing.
//
// A commit may close its stream. Nothing is appended after it, and what the stream
// consisted of may be erased but for that commit ([Journal.Erase]).
//
// # Delivery
//
// Append is exactly once for one call. A write may be stored although its
// answer is lost: then the same commit, under its same id, is sent again at the
// same position, and a refusal that shows our own id is success. When the
// context ends first the outcome is unknown and the error says so
// ([Unavailable]); a caller that must know reads the stream.
//
// The [Journal] alone retries. Drivers and the SDK below them never do.
//
// # Law
//
// All rules that do not depend on a backend are here, so that a [Driver] is
// small; [storetest] is what every driver must pass. This package imports
// nothing of Windlass but the events, and no AWS SDK.
//
// [storetest]: https://pkg.go.dev/windlass/eventstore/storetest
package eventstore
