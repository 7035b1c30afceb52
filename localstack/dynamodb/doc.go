// Package dynamodb is a strict, durable subset of DynamoDB and DynamoDB Streams
// on one local file, for the embedded stack.
//
// Its law: fewer features than AWS, never fewer refusals. An operation, field or
// expression that is not modelled is an error with AWS's code; limits, atomicity
// and cancellation reasons are AWS's; a write that was answered survives a
// kill -9, together with its stream record. README.md lists what is modelled.
//
// Package contract holds the proof, and runs against any endpoint. The product
// reaches this package through the AWS SDK alone; of this module it may import
// disk, awsjson and its own subpackages.
package dynamodb
