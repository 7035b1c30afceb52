// Package s3blob keeps an [eventstore.Journal]'s large values in an S3 bucket, at
// {tenant}/{session}/blobs/{sha256}.
//
// An object is never written twice: a put goes out with If-None-Match, and one
// that finds the object there has succeeded, because the key is the content's
// hash. So a retry, a second copy of a Lambda or a repeated answer costs a
// request and changes nothing. The hash is sent along and S3 checks it.
//
// Its law: it decides nothing and never retries; see [Options].
package s3blob
