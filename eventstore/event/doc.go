// Package event defines what a session's log consists of: one Go type for each
// event that is written, and the JSON it is stored and served as.
//
// Its law: a stored form is for ever. A payload's JSON never changes under its
// version; a new shape is a new version beside the old one, and golden files
// hold both. Names are strings in the past tense and are never renumbered or
// reused. A name that this build does not know is kept as [Unknown], byte for
// byte, so that an older reader neither loses nor breaks a newer log.
//
// It imports nothing of Windlass.
package event
