package eventbridge

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

var (
	deliveries = []byte("eventbridge/deliveries") // number → delivery
	schedules  = []byte("eventbridge/schedules")  // name → last run, Unix milliseconds
)

// AWS's bounds: how often a function may fail, how often it may be out of reach,
// and after how many minutes a delivery is given up anyway.
const (
	maxFailures = 3
	maxAttempts = 185
	maxAge      = 24 * 60
)

// A delivery is one event on its way to one target.
type delivery struct {
	Rule     string          `json:"rule"`
	Target   string          `json:"target"`
	Event    json.RawMessage `json:"event"`
	First    int64           `json:"first"` // Unix milliseconds
	Next     int64           `json:"next"`
	Attempts int             `json:"attempts,omitempty"` // the function was not run
	Failures int             `json:"failures,omitempty"` // it was, and failed
}

// store writes a delivery and, once it is committed, makes the loop see it.
func (s *Service) store(tx *bbolt.Tx, id uint64, d delivery) error {
	value, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := tx.Bucket(deliveries).Put(number(id), value); err != nil {
		return err
	}
	tx.OnCommit(func() { s.due(id, time.UnixMilli(d.Next)) })
	return nil
}

func (s *Service) enqueue(tx *bbolt.Tx, rule, target string, event []byte, now time.Time) error {
	id, err := tx.Bucket(deliveries).NextSequence()
	if err != nil {
		return err
	}
	at := now.UnixMilli()
	return s.store(tx, id, delivery{Rule: rule, Target: target, Event: event, First: at, Next: at})
}

func (s *Service) read(id uint64) (d delivery, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(deliveries).Get(number(id))
		if value == nil {
			return fmt.Errorf("delivery %d is not there", id)
		}
		return json.Unmarshal(value, &d)
	})
	return d, err
}

// retry decides what a delivery that did not succeed has left: the next attempt,
// or nothing.
func (d *delivery) retry(failed bool, now time.Time, minute time.Duration) bool {
	wait := time.Duration(0)
	if failed {
		d.Failures++
		wait = time.Duration(d.Failures) * minute
	} else {
		d.Attempts++
		wait = min(minute/60<<min(d.Attempts-1, 20), 5*minute)
	}
	d.Next = now.Add(wait).UnixMilli()
	return d.Failures < maxFailures && d.Attempts < maxAttempts &&
		now.Sub(time.UnixMilli(d.First)) < maxAge*minute
}

func number(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }
