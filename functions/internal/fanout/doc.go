// Package fanout sends what is appended to those who follow it: it turns the log
// table's stream into frames, and posts them to the session's subscribers.
//
// Its laws: it knows nothing that a commit does not say, so a record may come
// twice, late or in any order; a session's batch is posted to all connections at the
// same time, and to each one frame after the other (batches, sessions and a backlog
// may overtake each other on the way to one connection: frames say what they cover);
// a post that fails is not sent again, because the client notices and asks; only a
// connection that is gone for good is forgotten. A connection that is slow holds up
// what comes behind by two seconds at most, and is then passed over for a while; no
// record is handled again because of one.
//
// It never imports the loop, a model or a tool.
package fanout
