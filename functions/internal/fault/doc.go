// Package fault is the errors that callers see: one table from each public code
// to what every edge makes of it.
//
// Its law: a fault is public. Its message says what to do next and holds nothing
// of a cause; causes are logged at the edge, once.
package fault
