package eventbridge

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/eventbridge/pattern"
)

// A Rule sends the events that match Pattern to the function Target.
type Rule struct {
	Name    string
	Pattern []byte
	Target  string
}

// A Schedule invokes the function Target once in Minutes minutes.
type Schedule struct {
	Name    string
	Minutes int
	Target  string
}

// Options configure a Service.
type Options struct {
	Rules     []Rule
	Schedules []Schedule

	// Invoke runs a function with an event. failure says that it was run and
	// failed, err that it was not run.
	Invoke func(ctx context.Context, function string, event []byte) (failure, err error)

	// Minute is how long a minute lasts; tests shorten it.
	Minute time.Duration

	Region, Account string
	Log             *slog.Logger
	Now             func() time.Time
}

func (o *Options) setDefaults() {
	if o.Minute == 0 {
		o.Minute = time.Minute
	}
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	if o.Account == "" {
		o.Account = "000000000000"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// database is the shared file: see package disk.
type database interface {
	Update(func(*bbolt.Tx) error) error
	View(func(*bbolt.Tx) error) error
}

type rule struct {
	Rule
	pattern *pattern.Pattern
}

func compile(rules []Rule) ([]rule, error) {
	compiled := make([]rule, len(rules))
	for i, r := range rules {
		p, err := pattern.Parse(r.Pattern)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		compiled[i] = rule{r, p}
	}
	return compiled, nil
}
