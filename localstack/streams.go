package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"windlass/localstack/awsjson"
	"windlass/localstack/dynamodb"
	"windlass/localstack/eventsource"
)

// mappings joins the tables' streams to the functions, as the template says.
func (st *stack) mappings() (*eventsource.Service, error) {
	d, t, s, log := st.tables, st.template, st.settings, st.log
	o := eventsource.Options{Invoke: forRecords(st.functions), Age: st.measured.delivered, GivenUp: st.measured.givenUp, Redeliver: s.again, Log: log}
	if s.shuffle {
		o.Shuffle = rand.Shuffle
	}
	hash := map[string]string{}
	for _, table := range t.Tables {
		hash[table.Name] = table.HashKey.Name
	}
	for _, f := range t.Functions {
		for _, m := range f.Streams {
			arn, ok := d.StreamARN(m.Table)
			if !ok {
				return nil, fmt.Errorf("mapping %s: table %s has no stream", m.Name, m.Table)
			}
			if s.alone {
				m.BatchSize = 1
			}
			changed, _ := d.Subscribe(m.Table) // for as long as the process lives
			o.Mappings = append(o.Mappings, eventsource.Mapping{
				Name:             m.Name,
				Stream:           tableStream{d, m.Table, hash[m.Table], changed, log},
				StreamARN:        arn,
				Function:         f.ARN,
				FromLatest:       m.StartingPosition == "LATEST",
				BatchSize:        m.BatchSize,
				Parallelization:  m.Parallelization,
				PartialFailures:  m.PartialFailures,
				Bisect:           m.Bisect,
				MaximumRetries:   m.MaximumRetries,
				MaximumRecordAge: m.MaximumRecordAge,
				FailureQueue:     m.FailureQueue,
				Filters:          m.Filters,
			})
		}
	}
	return eventsource.Open(st.db, o)
}

// tableStream is a table's stream as package eventsource reads it.
type tableStream struct {
	service *dynamodb.Service
	table   string
	hash    string // the partition key's name
	changed <-chan struct{}
	log     *slog.Logger
}

func (t tableStream) Changed() <-chan struct{} { return t.changed }

func (t tableStream) Latest() (string, error) { return t.service.LastSequenceNumber(t.table) }

// Records goes on from the oldest record that is kept if what follows was
// trimmed: a mapping that was down for a day has lost those, as on AWS.
func (t tableStream) Records(after string, limit int) ([]eventsource.Record, error) {
	found, err := t.service.StreamRecords(t.table, after, limit)
	var refused *awsjson.Error
	if errors.As(err, &refused) && refused.Code == "TrimmedDataAccessException" {
		t.log.Error("stream records older than 24 hours were trimmed before they were delivered", "table", t.table, "after", after)
		found, err = t.service.StreamRecords(t.table, "", limit)
	}
	if err != nil {
		return nil, err
	}
	records := make([]eventsource.Record, len(found))
	for i, r := range found {
		var item []string
		var partition string
		gjson.GetBytes(r.JSON, "dynamodb.Keys").ForEach(func(name, value gjson.Result) bool {
			item = append(item, name.Raw+value.Raw)
			if name.String() == t.hash {
				partition = value.Raw
			}
			return true
		})
		if partition == "" {
			return nil, fmt.Errorf("stream record %s has no key %s", r.SequenceNumber, t.hash)
		}
		slices.Sort(item) // one text for one item
		records[i] = eventsource.Record{
			Sequence:  r.SequenceNumber,
			Partition: partition,
			Item:      strings.Join(item, ""),
			Created:   r.Created,
			Body:      r.JSON,
		}
	}
	return records, nil
}
