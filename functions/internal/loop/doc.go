// Package loop is the shell around package turn: it loads a session, asks turn
// what comes next, and does it. One file per effect: append, think, act; the
// others end the invocation.
//
//	load → Next → append → Next → ask the model → Next → append → …
//
// Delivery: every effect's start is in the log before the effect, and its
// outcome is held until it is appended on condition that nobody else appended.
// An append that lost is decided again, with the outcomes still in hand; one
// that lost to another driver ends this one. A model call or a read may
// therefore run more than once, an idempotent call more than once under the same
// key.
//
// Its law: it decides nothing that turn could decide.
package loop
