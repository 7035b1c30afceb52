// Package price says what a model's call costs, from a table that is data.
//
// Its law: exact, and unknown rather than wrong. A model that is not in the table, a
// call whose tokens nobody counted, and an input longer than the table knows have an
// unknown cost.
package price
