// Package tenant is what is set for a tenant. A setting is a row of the live table:
//
//	pk "tenant#{tenant}"  sk "tenant"  {retention, changedAt}
//
// Operators write it; functions only read.
//
// Its law: what is read is at most [Fresh] old, or as old as the table has been out of
// reach. It decides nothing about a session that is there: the log does.
package tenant
