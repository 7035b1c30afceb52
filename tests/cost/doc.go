// Cost counts what AWS would be asked to do for a turn, in the units that it bills, and
// prices it.
//
//	go run ./tests/cost                 the table
//	go run ./tests/cost -json           the same, for a program
//	go test ./tests/cost                pins the counts of an ordinary turn
//
// It runs turns of the scripted model on an embedded stack of its own, which counts
// (WINDLASS_LOCAL_USAGE), and which hands each stream record over by itself: what then is
// counted does not depend on time, and is the most that AWS would bill, since Lambda may
// put several into one invocation. Prices are in infra/prices/aws.
//
// Law: a number that was counted, one that was measured here and one that was assumed are
// never in one row without saying so.
package main
