// Package workspace is a session's files: the tree is a fold of workspace
// events, so history and "the files as of seq N" need nothing more.
//
// Its law: pure. A tool sees the tree through a [View], which adds what earlier
// calls of its own round wrote and deleted and the log does not hold yet; that
// becomes durable in the same commit as the results that tell of it.
package workspace
