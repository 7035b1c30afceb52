// Package session is what a client can do with a session, however it reaches
// it: submit a prompt with files, cancel it or say more to it, look at operations, read events
// and transcript, read and write files, move what is large, delete all of it.
//
// Its law: durable before anything else. Submit answers when the prompt is in
// the log, and only then tries to start the turn; if that fails, dispatch and
// recover do it. Every answer can be asked for again. Large content goes between
// the client and where it stands, past this package: it signs, looks, and never
// copies.
package session
