// Package openapi is the HTTP API's contract: one OpenAPI 3.1 document, which the
// API serves about itself at /openapi.json.
//
// It is written by hand in source/, in YAML, a file for each thing that a reader
// looks for; openapi.json is those files put together, in their order, by
//
//	go test ./functions/internal/openapi -update
//
// and a test fails when the two differ, so that a function that starts parses
// nothing.
//
// Its law: it says what is served, and nothing that is not. A test walks the
// routes, the codes and the events, and package tests/openapi holds real answers
// against it. It imports nothing of this module: what it describes cannot make it
// true.
package openapi
