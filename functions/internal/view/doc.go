// Package view is what clients see of the log.
//
// Its law: pure, and no more is shown than is durable.
package view
