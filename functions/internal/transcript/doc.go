// Package transcript folds a session's log into what a model is shown: prompts,
// answers, calls and results, in the order in which a model may read them.
//
// Its law: pure, and the log holds everything. A prompt joins when its own turn
// starts, so a queued one is invisible to the turn that runs; what is said to a
// running turn joins with its next round. A round's results
// stand in the order of its calls, however they were appended, and only once
// all of them are in. It imports the events and nothing else.
package transcript
