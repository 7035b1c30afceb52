// Package telemetry says how the system is doing: metrics in CloudWatch's embedded
// metric format, and the keys by which log lines are found.
//
// Its law: most metrics are a fold of what this process appended to the log, so they
// cannot disagree with it; they leave in one line an invocation, beside the work and
// never in its way; they may be lost, and nothing depends on them. No prompt, output,
// argument or key is in them. A log line names what it is about by the keys of With, which
// the context carries.
package telemetry
