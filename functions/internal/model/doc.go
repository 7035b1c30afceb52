// Package model asks a language model. A [Provider] takes neutral items and
// gives a stream of neutral parts; what went wrong comes as a coded [Fault].
//
// Its law: one call, no retries, no state. Whether and when to ask again is the
// turn's decision, from the log; a provider's own retries must be off. What a
// model says is untrusted text.
package model
