// Package sam invokes every function as sam local does: the executables that are
// deployed, in Lambda's container, one event file each. The services are the embedded
// stack's, and nobody else drives them: its copy of the template has no stream mappings,
// rules and schedules, and a state machine that only waits.
//
// It needs sam and a Docker engine: it is a lane, which whoever lacks them passes over,
// unless WINDLASS_TEST_LANES has sam in it. make sam-test runs it.
package sam
