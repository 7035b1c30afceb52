// Package secret reads secrets where AWS keeps them: in Secrets Manager, or as a
// SecureString of SSM's Parameter Store. A function's environment then names the
// secret and does not hold it.
//
// Nothing is read before somebody asks. What was read is kept in the process for
// [Fresh], so that a rotated secret is noticed without a deploy; if it cannot be read
// again, the old value is used until it is [Oldest], and the log says so. Whatever is
// asked at the same time is one reading, and a reading that failed is not repeated for
// [Pause]. Nothing outlives the process: a crash costs one more reading.
//
// Its law: no error and no log line holds a value, or what AWS said beside its code.
package secret
