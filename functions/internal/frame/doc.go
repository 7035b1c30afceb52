// Package frame is what the server says on a socket: JSON objects with "v" and
// "type", one a message.
//
// Its law: a frame depends on its values alone, fits into [Max], and says which
// seqs it covers, so that a client can tell by itself what it missed, whatever
// was lost, doubled or overtaken on the way. A preview covers none: it says at which
// byte of its text it begins. Package wsapi's README.md is the protocol.
//
// It never imports a package that does I/O.
package frame
