// Package sweep erases what a deleted session consisted of.
//
// # Rows
//
// The commit that deletes a session puts two rows into the log table, and each stands
// until its sweep has come to its end:
//
//	#deleted#{shard}   {due}#{tenant}#{session}   {tenant, session, openedAt, deletedAt, last?}
//
// The first sweep is due at once, the last one [Linger] later, when whoever may have
// held the session in memory is gone: an invocation, or a client with the URL of an
// upload. What was put meanwhile goes with it.
//
// # Law
//
// A sweep erases only what it finds, keeps no account of it, and may stop anywhere and
// begin again, also twice at once. The row goes last.
//
// The first sweep leaves what is younger than [Linger] before the deletion. So the places
// in the log stay taken behind every position that anybody alive may hold: a driver that
// appends late finds the commit that it lost to, not a hole. Who is just reading those
// commits finds what they refer to.
//
// The commit that closed the log stays, with nothing in it of what the session was about.
//
// It knows no turn, and never imports what serves clients.
package sweep
