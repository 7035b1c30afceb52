// Package contract checks, through the AWS SDK alone, what the product relies on
// in Step Functions. The same cases run against the embedded subset and, where
// one can be reached, against AWS or another emulator.
//
// Its law: a case says nothing about how a lane is made. It gets a client, a way
// to provide functions and, if the lane can, a way to kill it.
package contract
