// Package gateway is API Gateway for the embedded stack: an HTTP API with the
// payload format 2.0, its one route $default, a WebSocket API with one stage,
// and the guard that keeps web pages of other origins away from a service on
// this machine.
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
// # WebSocket APIs
//
// A connection exists from the end of a successful $connect, which the 101
// follows, until a close of either side; then $disconnect is told once, with the
// code and the reason.
// Messages go to the route that one member of their JSON body names, else to
// $default; those of one connection run side by side, sixteen at most, in no
// order. What functions answer is not sent: they post to [SocketAPI.Connections],
// and a connection's posts keep their order.
//
//	a frame over 32 KB, a message over 128 KB   closed with 1009
//	a binary message                            closed with 1003
//	a text message that is not UTF-8            closed with 1007
//	10 minutes without a message, 2 hours       closed with 1001
//	DELETE                                      closed with 1000, after what is queued
//	a client that takes no message for 10 s     cut off; $disconnect hears 1006
//	64 messages or 1 MB not yet written         a post is 429, and the message lost
//	a post over 128 KB                          413
//	a post to what is not open                  410
//	a function that fails, or takes 29 s        a frame {"message","connectionId","requestId"}; at $connect 502
//
// Bounds that AWS does not have or not tell: the sixteen, the queue, the 10
// seconds, and 10,000 connections. Not modelled: route responses, authorizers,
// subprotocols, API keys, stage variables, throttling, compression, other
// selection expressions. A 200 to a post says that the message is queued: the
// client may still not get it.
//
// It knows no function: [Options.Invoke] and [SocketOptions.Invoke] are its
// ports. It never imports another package of this module.
package gateway
