// Package contract is what the event log relies on DynamoDB for, as a suite
// that runs against any endpoint: ours over a socket on every test run, and the
// one in WINDLASS_TEST_DYNAMODB_ENDPOINT when that is set.
//
// Its law: a case describes AWS, never our subset. Cases use the SDK alone, make
// their own tables and remove them. A case that an endpoint is known to fail is
// named with its reason, printed and counted, never passed over in silence.
package contract
