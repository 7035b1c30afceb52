// Package contract is what the workspace relies on S3 for, as a suite that runs
// against any endpoint: ours over a socket on every test run, and the one in
// WINDLASS_TEST_S3_ENDPOINT when that is set.
//
// Its law: a case describes AWS, never our subset. Cases use the SDK and plain
// HTTP to presigned URLs, make their own buckets and remove them. A case that an
// endpoint is known to fail is named with its reason, printed and counted, never
// passed over in silence.
package contract
