// Package harness is the composition root: it builds each Lambda function's
// handler from its environment and a way to reach AWS. Everything that runs,
// wherever it runs, is built here, and drivers are named here alone.
//
// It is the one door into functions/internal, for the embedded stack and the
// tests.
package harness
