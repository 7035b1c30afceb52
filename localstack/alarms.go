package main

import (
	"context"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/cloudwatch"
	"windlass/localstack/stepfunctions"
	"windlass/localstack/template"
)

// alarms are the template's. One that is not modelled stops the start.
func alarms(t *template.Stack) (all []cloudwatch.Alarm, err error) {
	for _, a := range t.Alarms {
		its := cloudwatch.Alarm{
			Name: a.LogicalID, Description: a.Description, Statistic: a.Statistic, Period: a.Period, Periods: a.Periods, Breaching: a.Breaching,
			Threshold: a.Threshold, Comparison: a.Comparison, Missing: a.Missing,
		}
		for _, m := range a.Metrics {
			its.Metrics = append(its.Metrics, cloudwatch.Metric(m))
		}
		if err := its.Check(); err != nil {
			return nil, err
		}
		all = append(all, its)
	}
	return all, nil
}

// watch looks at the alarms every minute, and logs what changes. The first five minutes
// are left out: what has not run yet is not silent.
func (st *stack) watch(ctx context.Context, all []cloudwatch.Alarm) {
	w := &cloudwatch.Watch{Metrics: st.metrics, Alarms: all, Log: st.log}
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for minutes := 1; ; minutes++ {
		select {
		case now := <-tick.C:
			if minutes >= 5 {
				w.Look(now)
			}
		case <-ctx.Done():
			return
		}
	}
}

// statusChanged puts an execution's new status on the bus, and counts it.
func (st *stack) statusChanged(tx *bbolt.Tx, change stepfunctions.StatusChange) error {
	err := statusChanged(st.bus)(tx, change)
	if err == nil {
		st.measured.ended(change)
	}
	return err
}
