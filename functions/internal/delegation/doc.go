// Package delegation carries what passes between a parent's call and the child
// session that carries it out: the task, its end, and that it is to be cancelled.
//
// Its law: both logs are the truth, and each step may be done again. The child's
// session and operation follow from the step, so it is begun once; its end is
// appended to the parent on condition that the parent waits for it; cancelling a child
// that is not there yet claims its place. So whoever dies in between, the next one,
// or the parent's own driver, does it again.
package delegation
