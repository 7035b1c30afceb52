// Package wsapi is the WebSocket API: what a client may say on a socket, and what
// becomes of it. README.md beside it is the protocol.
//
// Its laws: a connection is its ticket's, and a ticket is single use; a
// subscription stands before the head is read, so that no commit falls between
// backlog and what comes live; a frame that cannot be served is answered with an
// error and costs no connection. It keeps no state but the live table's rows: any
// copy of the function serves any frame.
//
// What it answers is posted to the connection, not returned: one way out, and the
// same for one frame and for many. Nothing is posted before $connect has returned.
//
// It never imports the loop, a model or a tool.
package wsapi
