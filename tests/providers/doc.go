// Package providers is local HTTP servers that speak the protocols of model
// providers: what the system is tried against where there is no account. One file
// per protocol writes answers as its provider does, and checks each request by the
// protocol's own rules, strictly: what a real provider refuses is an error here.
//
// It knows nothing of the system under test.
package providers
