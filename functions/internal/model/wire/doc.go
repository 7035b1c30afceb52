// Package wire is what all providers that are asked over HTTP have in common: a
// client that bounds and watches what it reads, the meaning of what a provider
// complains of, and JSON as servers write it.
//
// Its law: nothing of a key, a URL or a prompt gets into an error. A provider's own
// text is never passed on, because it may quote them; its status and its codes are.
package wire
