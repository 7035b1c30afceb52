// Package stepfunctions answers the Step Functions API for the embedded stack:
// a durable interpreter of Standard state machines.
//
// Its law: one transition of an execution is one transaction. Whatever a caller,
// a function or an event rule gets to see of an execution is on disk first, and
// progress and recovery are one path: given only what is stored, what is next?
// So a kill at any instant loses nothing that was acknowledged. A function that
// was running then has failed one attempt; a wait goes on to its stored instant;
// a parked task keeps its token.
//
// What AWS has and this package has not is refused when it is asked for, with
// its name. See README.md for what is modelled.
//
// It must never import the product (functions/, eventstore/) nor a neighbour that
// it serves or calls: functions and status changes are reached by [Options].
package stepfunctions
