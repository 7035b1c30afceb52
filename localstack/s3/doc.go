// Package s3 is a strict, durable subset of S3 on one local folder, for the
// embedded stack: path-style requests, bodies in files, everything else in an
// index beside them.
//
// Its law: fewer features than AWS, never fewer refusals. An operation, query
// parameter or x-amz-* header that is not modelled is a NotImplemented that
// names it; whatever a request claims of its body is checked before anything is
// visible; an object is whole or absent, and one that was answered survives a
// kill -9. README.md lists what is modelled.
//
// [Service.Handler] must stand behind sigv4.Verify: it checks no signature, and
// stores nothing when the body turns out not to be the signed one. It must not
// stand behind a http.ServeMux, which cleans paths: "a/../b" is a key.
//
// Package contract holds the proof, and runs against any endpoint. The product
// reaches this package through the AWS SDK alone; of this module it may import
// disk and sigv4.
package s3
