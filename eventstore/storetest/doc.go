// Package storetest is the contract of [eventstore.Driver] in executable form.
// Every driver passes it, against every backend that it is said to work with.
//
// Its law: it demands what the Journal needs and nothing else, through the
// interface alone. Each case makes streams of its own, so that one table may
// serve all of them, for ever.
//
// It must never import a driver.
package storetest
