package main

import (
	"encoding/json"
	"log/slog"

	"go.etcd.io/bbolt"

	"windlass/localstack/disk"
	"windlass/localstack/eventbridge"
	"windlass/localstack/lambda"
	"windlass/localstack/stepfunctions"
	"windlass/localstack/template"
)

// bus opens the event bus with the template's rules and schedules.
func bus(db *disk.DB, r *lambda.Registry, t *template.Stack, s settings, log *slog.Logger) (*eventbridge.Service, error) {
	o := eventbridge.Options{Invoke: forEvents(r), Minute: s.minute, Region: region, Account: account, Log: log}
	for _, f := range t.Functions {
		for _, rule := range f.Rules {
			o.Rules = append(o.Rules, eventbridge.Rule{Name: rule.Name, Pattern: rule.Pattern, Target: f.ARN})
		}
		for _, rate := range f.Schedules {
			o.Schedules = append(o.Schedules, eventbridge.Schedule{Name: rate.Name, Minutes: rate.Minutes, Target: f.ARN})
		}
	}
	return eventbridge.Open(db, o)
}

// statusChanged puts an execution's new status on the bus, inside the transaction
// of the transition.
func statusChanged(b *eventbridge.Service) func(*bbolt.Tx, stepfunctions.StatusChange) error {
	return func(tx *bbolt.Tx, change stepfunctions.StatusChange) error {
		detail, err := json.Marshal(change)
		if err != nil {
			return err
		}
		return b.Put(tx, eventbridge.Event{
			Source:     "aws.states",
			DetailType: "Step Functions Execution Status Change",
			Resources:  []string{change.ExecutionARN},
			Detail:     detail,
		})
	}
}
