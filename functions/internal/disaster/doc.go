// Package disaster holds tests alone: the product of everything that a turn does
// outside its memory and everything that may go wrong there. The whole system runs
// in memory and in fake time: the real api service, dispatch, recover, loop and
// publish over a log, a store of large values, a small Step Functions, a shop that
// counts what it is told to do, a person, and a client that follows.
//
//	go test ./functions/internal/disaster -v -run Table
//
// prints the tables: what was hit, by which disaster, in how many cases, and how many
// of them left something done twice, lost or stuck; for a turn alone, and for a parent
// with its children. A ledger says what became of all calls, by what repeating them
// would do.
//
// Its law: each call that leaves a process goes through [process.call], which is
// the one place where a disaster happens; so nothing is spared, and a new call is
// one more line of the table. A disaster is one that the real services are known
// to do. What is compared is what the undisturbed run left.
//
// It never imports a driver of AWS, and nothing imports it.
package disaster
