// Package template reads the SAM template that is deployed to AWS into plain
// values, so that the embedded stack creates exactly the tables, buckets,
// functions, mappings, rules and machines of the cloud.
//
// Its law: nothing is guessed. A resource type, property or intrinsic that the
// embedded stack neither models nor has deliberately declared irrelevant makes
// [Parse] refuse, and the error names the line. What only matters on AWS
// (alarms, IAM, encryption at rest, outputs) is listed by name in ignored.go.
//
// Physical names follow one rule, [Options.Stack] standing for the stack's
// name: stack, hyphen, logical id in kebab-case without its type's own noun.
// LogTable becomes windlass-log, TurnStateMachine windlass-turn.
//
// It never imports another package of this module, and touches no file but
// those that it is asked to read.
package template
