// Package browser tests the console in a real browser against the real embedded
// stack: what a person would see, press and lose.
//
// One browser serves all tests; each has a context of its own in it, so no key,
// file or cache of one test reaches another, and a stack of its own. A page that
// logs an error, breaks its Content-Security-Policy, leaves a rejection unhandled,
// asks another machine or puts a key into a URL fails its test, whatever the test
// is about (page_test.go).
//
// Nothing here sleeps or asserts a time: conditions are waited for in the page.
//
//	go test ./tests/browser -run Pictures -update
//
// draws the pictures in infra/pictures anew.
package browser
