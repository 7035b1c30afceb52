// Package fold opens a session: its log folded into everything that is decided
// and shown from it.
//
// Its law: the log is the truth. What is loaded besides (a checkpoint, something a
// warm function kept) only saves reading, and folding it with the tail gives what
// folding everything gives.
package fold
