package eventsource

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// maxFailures bounds a destination; beyond it the oldest are let go.
const maxFailures = 1000

// A failure is what AWS sends to an on-failure destination: where to find the
// records, not the records.
type failure struct {
	RequestContext  requestContext   `json:"requestContext"`
	ResponseContext *responseContext `json:"responseContext,omitempty"`
	Version         string           `json:"version"`
	Timestamp       string           `json:"timestamp"`
	Batch           batchInfo        `json:"DDBStreamBatchInfo"`
}

type requestContext struct {
	RequestID   string `json:"requestId"`
	FunctionARN string `json:"functionArn"`
	Condition   string `json:"condition"`
	Invocations int    `json:"approximateInvokeCount"`
}

type responseContext struct {
	StatusCode      int    `json:"statusCode"`
	ExecutedVersion string `json:"executedVersion"`
	FunctionError   string `json:"functionError"`
}

type batchInfo struct {
	ShardID   string `json:"shardId"`
	Start     string `json:"startSequenceNumber"`
	End       string `json:"endSequenceNumber"`
	First     string `json:"approximateArrivalOfFirstRecord"`
	Last      string `json:"approximateArrivalOfLastRecord"`
	Size      int    `json:"batchSize"`
	StreamARN string `json:"streamArn"`
}

// shardID is the one shard that a local stream has.
const shardID = "shardId-00000000000000000001-00000001"

// giveUp keeps a note of records at the on-failure destination and settles them.
// If the note cannot be stored they stay unsettled, and come again at the next
// start.
func (p *poller) giveUp(entries []*entry, condition string, invocations int, reason error) {
	first, last := entries[0].record, entries[len(entries)-1].record
	p.service.opts.Log.Error("stream records given up", "mapping", p.Name, "condition", condition,
		"records", len(entries), "from", first.Sequence, "to", last.Sequence, "queue", p.FailureQueue, "error", reason)
	if p.FailureQueue != "" {
		f := failure{
			RequestContext: requestContext{rand.Text(), p.Function, condition, invocations},
			Version:        "1.0",
			Timestamp:      stamp(p.service.opts.Now()),
			Batch: batchInfo{shardID, first.Sequence, last.Sequence,
				stamp(first.Created), stamp(last.Created), len(entries), p.StreamARN},
		}
		if reason != nil {
			f.ResponseContext = &responseContext{200, "$LATEST", "Unhandled"}
		}
		if err := p.service.keep(p.FailureQueue, f); err != nil {
			p.service.opts.Log.Error("the note of it cannot be stored", "queue", p.FailureQueue, "error", err)
			return
		}
		if told := p.service.opts.GivenUp; told != nil {
			told(p.FailureQueue)
		}
	}
	p.settle(entries)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func queueName(queue string) []byte { return []byte("eventsource/failures/" + queue) }

func (s *Service) keep(queue string, f failure) error {
	note, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(queueName(queue))
		if err != nil {
			return err
		}
		n, err := b.NextSequence()
		if err != nil {
			return err
		}
		if n > maxFailures {
			if err := b.Delete(binary.BigEndian.AppendUint64(nil, n-maxFailures)); err != nil {
				return err
			}
		}
		return b.Put(binary.BigEndian.AppendUint64(nil, n), note)
	})
}

// Failures returns what stands at an on-failure destination, oldest first.
func (s *Service) Failures(queue string) (notes []json.RawMessage, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(queueName(queue))
		if b == nil {
			return nil
		}
		return b.ForEach(func(_, v []byte) error {
			notes = append(notes, append(json.RawMessage(nil), v...))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("failures of %s: %w", queue, err)
	}
	return notes, nil
}
