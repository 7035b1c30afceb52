// Package fanout sends what is appended to those who follow it: it turns the log
// table's stream into frames, and posts them to the session's subscribers.
//
// Its laws: it knows nothing that a commit does not say, so a record may come
// twice, late or in any order; posts go to different connections at the same time
// and to one connection one after the other; a post that fails is not sent again,
// because the client notices and asks; only a connection that is gone for good is
// forgotten. So a slow or dead connection never delays another, and no record is
// ever handled again because of one.
//
// It never imports the loop, a model or a tool.
package fanout
