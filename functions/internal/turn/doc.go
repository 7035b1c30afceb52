// Package turn decides what an operation's turn does next, from the log alone.
//
// [State] is the fold of a session's events. [Next] looks at it, and at what a
// driver holds in memory ([Situation]), and answers with one [Effect]: append
// these events, ask the model, run these calls, wait until then, stop. A driver
// that appended asks again. So there is no recovery here: after a crash another
// driver folds the same log and asks the same question.
//
// The files are named after what a turn does, as the event families and the
// shell in package loop are: think, act, resume, settle; repeat tells of a model
// that asks for the same again and again.
//
// Its law: pure. No context, clock, randomness, logger, goroutine or order of a
// map; ids and times arrive as values. It imports the events and nothing else.
// The rules are those of the checked protocol: changing one here means changing
// and checking it there.
package turn
