// Package auth finds out whose data a request may reach. Closed by default: no
// key and no token, no tenant.
//
// # Keys
//
// A key is a random secret. The live table holds its SHA-256 only:
//
//	pk "key#{hex SHA-256}"  sk "key"  {tenant, revokedAt?}
//
// so that reading the table gives nobody a key. The tenant comes from there and
// from nowhere else; it begins every key of the log.
//
// # Tokens
//
// Beside keys, tokens of one issuer of OpenID Connect may be let in ([Tokens]): JSON Web
// Tokens with its signature by a private key, for our audience, not expired. Their tenant
// is a claim, and their name the issuer with the subject. The issuer's public keys are
// asked for when the first token comes, and then every hour. A token whose key is not
// known has them asked for again, but not twice within 30 s, so that nobody can have us
// press the issuer with tokens that they made up. After a failure the pause is 1 s and
// doubles. Keys that are known count for a day without an answer.
//
// A token cannot be revoked: what it opened ends when it does.
package auth
