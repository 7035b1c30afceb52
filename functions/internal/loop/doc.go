// Package loop is the shell around package turn: it loads a session, asks turn
// what comes next, and does it. One file per effect: append, think, act, reconcile;
// the others end the invocation.
//
//	load → Next → append → Next → ask the model → Next → append → …
//
// Delivery: every effect's start is in the log before the effect, and its
// outcome is held until it is appended on condition that nobody else appended.
// An append that lost is decided again, with the outcomes still in hand; one
// that lost to another driver ends this one. A model call or a read may
// therefore run more than once, an idempotent call more than once under the same
// key, and a call of the class once at most once: if its outcome is lost, its tool
// looks into it, or a person does.
//
// While effects run the log is looked at every second: a turn that is to be
// cancelled, or that another driver goes on with, ends them.
//
// Its law: it decides nothing that turn could decide.
package loop
