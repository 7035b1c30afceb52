package main

import "runtime/debug"

// tuneMemory trades memory for time, unless the environment says otherwise: fifteen
// turns of 128 rounds took 16 % less processor time with a heap that may grow
// to five times what is alive (2.04 s and 112 MB became 1.72 s and 146 MB). The
// limit keeps a large heap from being multiplied so.
func tuneMemory(lookup func(string) (string, bool)) {
	if _, set := lookup("GOGC"); set {
		return
	}
	debug.SetGCPercent(400)
	if _, set := lookup("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(512 << 20)
	}
}
