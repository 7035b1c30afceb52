// Package store asks the services that keep secrets. It stands apart from package secret
// because their clients weigh much: a function that reads no secrets is linked without.
package store
