package eventsource

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/eventbridge/pattern"
)

// A Mapping leads from one stream to one function. Its name is the identity of
// its checkpoint. MaximumRetries and MaximumRecordAge are without end below zero.
type Mapping struct {
	Name             string
	Stream           Stream
	StreamARN        string
	Function         string // its ARN
	FromLatest       bool   // else from the oldest record that is kept
	BatchSize        int
	Parallelization  int
	PartialFailures  bool
	Bisect           bool
	MaximumRetries   int
	MaximumRecordAge time.Duration
	FailureQueue     string   // empty: given up without a trace but the log
	Filters          []string // a record is delivered if one matches, or there is none
}

// A Stream is read in the order of its sequence numbers. Records returns up to
// limit records after a sequence number ("" is the beginning); Latest is the
// sequence number of the newest record, or "". Changed receives after a commit
// that added records, at least once after the last of them.
type Stream interface {
	Records(after string, limit int) ([]Record, error)
	Latest() (string, error)
	Changed() <-chan struct{}
}

// Options configure a Service.
type Options struct {
	Mappings []Mapping

	// Invoke runs a function. failure says that it was run and failed, err that
	// it was not run.
	Invoke func(ctx context.Context, function string, event []byte) (result []byte, failure, err error)

	// Shuffle, if set, permutes what is delivered as DynamoDB might: the records
	// of one item stay in order. It is rand.Shuffle or a seeded one.
	Shuffle func(n int, swap func(i, j int))

	// Age is told how old the oldest record of a batch is when it is delivered, and GivenUp
	// of a note that a failure queue has received; nil for nobody.
	Age     func(function string, age time.Duration)
	GivenUp func(queue string)

	// Redeliver delivers every batch twice.
	Redeliver bool

	Log *slog.Logger
	Now func() time.Time
}

func (o *Options) setDefaults() {
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

func (m *Mapping) filters() ([]*pattern.Pattern, error) {
	var all []*pattern.Pattern
	for _, text := range m.Filters {
		p, err := pattern.Parse([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("mapping %s: %w", m.Name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (m *Mapping) setDefaults() {
	if m.BatchSize == 0 {
		m.BatchSize = 100
	}
	if m.Parallelization == 0 {
		m.Parallelization = 1
	}
}
