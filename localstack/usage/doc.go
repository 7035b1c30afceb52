// Package usage counts what a stack would be billed for: requests, and the units in
// which AWS meters them.
//
// Law: it counts and knows no price, and nothing depends on what it counts. The nil
// Counter counts nothing, at the cost of a comparison.
package usage
