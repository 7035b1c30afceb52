// Package pattern is the event pattern language that EventBridge rules and
// Lambda's event filters share, cut down to what the template uses: objects
// nested in objects, whose leaves are lists of exact values.
//
// Its law: what it cannot match as AWS does, it refuses to read. Content
// filters (prefix, exists, anything-but, numeric, ...) and $or are refused by
// name. As on AWS a number is equal to the same text only: 300 is not 300.0.
//
// It has no state and never imports another package of this module.
package pattern
