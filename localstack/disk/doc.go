// Package disk is the one file on which every part of the embedded stack keeps
// its state: a bbolt database whose concurrent writers share commits.
//
// Its law: when [DB.Update] returns nil, what the function wrote survives a
// kill -9 at any later instant. Surviving a power loss as well is what the sync
// flag of [Open] buys, for about 0.6 ms a commit; without it a power loss may
// leave a file that no longer opens.
//
// It knows nothing of what is stored. Each user owns top-level buckets named
// after itself ("dynamodb/...", "states/..."). It must never import another
// package of this module.
package disk
