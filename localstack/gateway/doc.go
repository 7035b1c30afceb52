// Package gateway is API Gateway for the embedded stack: an HTTP API with the
// payload format 2.0, its one route $default, and the guard that keeps web
// pages of other origins away from a service on this machine.
//
// Its law: a handler sees the event that AWS would send, and a client the
// answer that AWS would give; what AWS refuses is refused here. rawPath is the
// decoded path, headers are lower-case and joined by a comma, cookies stand
// apart, a body is text only if its type says so. An event over Lambda's 6 MB
// after encoding is refused with 413. A function's failure is a 500 and a late
// answer a 503, both with AWS's bare bodies.
//
// Bytes that AWS's behaviour is not documented for (a path or query that is not
// UTF-8 when decoded) are refused with 400: JSON could not carry them.
//
// It knows no function: [Options.Invoke] is its port. It never imports another
// package of this module.
package gateway
