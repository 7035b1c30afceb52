// Package expression is DynamoDB's expression language: condition, filter, key
// condition, projection and update expressions, each a hand-written recursive
// descent over one lexer.
//
// Its law: what AWS refuses is refused, with AWS's message: syntax, reserved
// words, undefined and unused placeholders, operands of the wrong type,
// overlapping paths. A parsed expression is immutable and evaluates without
// side effects: an update returns a new item.
//
// The grammar is that of "Using expressions in DynamoDB" in the developer guide.
// It may import attribute; it must never import storage or HTTP.
package expression
