// Package auth finds out whose data a request may reach. Closed by default: no
// key, no tenant.
//
// A key is a random secret. The live table holds its SHA-256 only:
//
//	pk "key#{hex SHA-256}"  sk "key"  {tenant, revokedAt?}
//
// so that reading the table gives nobody a key. The tenant comes from there and
// from nowhere else; it begins every key of the log.
package auth
