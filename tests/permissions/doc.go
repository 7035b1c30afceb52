// Package permissions compares what each function may do, by its role in
// template.yaml, with what it did in a recorded run of the suites.
//
// Its law: a call without leave is a failure, and so is leave that nobody made use
// of, unless the reason why no run on this machine can is written down here. The
// recording is the embedded stack's (WINDLASS_LOCAL_CALLS), which knows functions
// by the keys that they sign with. testdata/calls.jsonl is one; make permissions
// makes it anew.
//
// It never imports what it checks.
package permissions
