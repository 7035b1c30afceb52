// Package harness is the composition root: it builds each Lambda function's
// handler from its environment and a way to reach AWS. Everything that runs,
// wherever it runs, is built here, and drivers are named here alone.
//
// It is the one door into functions/internal, for the embedded stack and the
// tests.
//
// What weighs much stands in packages of its own, and a function's main hands it to the
// one that needs it: providers has the model providers' SDKs, tools what tools call by,
// secrets the services that keep secrets. all has every function by name.
package harness
