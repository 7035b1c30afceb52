// Package session is what a client can do with a session, however it reaches
// it: submit a prompt, look at an operation, read the events.
//
// Its law: durable before anything else. Submit answers when the prompt is in
// the log, and only then tries to start the turn; if that fails, dispatch and
// recover do it. Every answer can be asked for again.
package session
