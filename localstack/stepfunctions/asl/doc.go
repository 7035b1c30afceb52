// Package asl reads the part of the Amazon States Language that the embedded
// Step Functions runs, and evaluates its pure parts: reference paths, payload
// templates, choice rules, error matching and retry arithmetic.
//
// Its law: a definition that [Parse] accepts can be run to its end with nothing
// ignored. Whatever is not modelled (Parallel, Map, intrinsic functions,
// JSONata, an unknown field) is a [DefinitionError] that says what and where.
// Evaluation is a function of its arguments: no clock, no randomness, no I/O.
//
// It must never import another package of this module.
package asl
