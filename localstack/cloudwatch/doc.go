// Package cloudwatch is as much of CloudWatch as a template's alarms need: metrics by the
// minute, and what state an alarm is in.
//
// Its law: a state is a function of datapoints and a time, with AWS's own rules for what
// is missing. It keeps a day, in bounded memory, and forgets it when the process ends: on
// a laptop nobody was to be woken.
package cloudwatch
