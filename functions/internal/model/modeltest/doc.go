// Package modeltest is what every provider of a model must keep: one suite, run by
// each against a local server that speaks its protocol.
//
// Its law: it knows a provider by [model.Provider] alone, and a protocol by
// [providers.Protocol]. What a protocol cannot say is declared in the [Suite]; a
// test is never passed over because a provider failed it.
package modeltest
