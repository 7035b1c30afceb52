// Package sigv4 verifies AWS Signature Version 4 on the server's side, in the
// Authorization header and in the query of a presigned URL.
//
// Its law: closed by default. What is not signed, not signed by a known key, not
// of this quarter of an hour, expired, or signed over another body never reaches
// the next handler. The rules are those of "Signing AWS API requests" in the IAM
// user guide; what it does not model (chunked payload signatures, SigV4A) it
// refuses by name.
//
// It knows no service, except that S3 escapes paths once, may leave a payload
// unsigned, and speaks XML. It must never import another package of this module.
package sigv4
