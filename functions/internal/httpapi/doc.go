// Package httpapi is the HTTP API: net/http handlers behind API Gateway's
// payload 2.0 events.
//
// Every route to data needs a key, and the tenant comes from it. Errors are RFC
// 9457 problems with a stable code. A path is checked on the event, before
// anything parses it: API Gateway decodes it first. Bytes of a user or a model go
// out so that nothing in them can run with the API as its origin.
//
// Its law: it translates. What a request means is package session's.
package httpapi
