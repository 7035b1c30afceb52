package dynamodb

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/awsjson"
)

// table is a table as it is known in memory; it does not change, but for oldest.
type table struct {
	stored
	items  []byte // bucket names
	stream []byte

	oldest atomic.Int64 // when the first stream record was made, in ms; 0: unknown
}

// stored is a table's row in the tables bucket.
type stored struct {
	ID      string
	Spec    TableSpec
	Created time.Time
	Label   string // names this incarnation of the stream
}

func newTable(row stored) *table {
	return &table{stored: row, items: []byte("dynamodb/items/" + row.ID), stream: []byte("dynamodb/stream/" + row.ID)}
}

func (s *Service) loadTables() error {
	s.tables.byName = map[string]*table{}
	return s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(tablesBucket).ForEach(func(name, text []byte) error {
			var row stored
			if err := json.Unmarshal(text, &row); err != nil {
				return corrupt("table "+string(name), err)
			}
			s.tables.byName[string(name)] = newTable(row)
			return nil
		})
	})
}

// EnsureTable creates the table if it does not exist. Stream view and TTL of an
// existing table are brought up to date; another key schema is an error, because
// no item could be kept.
func (s *Service) EnsureTable(spec TableSpec) error {
	if err := spec.check(); err != nil {
		return err
	}
	old := s.tables.get(spec.Name)
	if old == nil {
		_, err := s.create(spec)
		return err
	}
	if !old.Spec.sameKeys(spec) {
		return awsjson.Errorf("ResourceInUseException", "table %s exists with the key %v, not %v", spec.Name, old.Spec.keys(), spec.keys())
	}
	if old.Spec == spec {
		return nil
	}
	row := old.stored
	if row.Spec.Stream != spec.Stream {
		row.Label = s.streamLabel()
	}
	row.Spec = spec
	return s.replaceTable(row)
}

func (s *Service) streamLabel() string {
	return s.options.Now().UTC().Format("2006-01-02T15:04:05.000")
}

func (s *Service) create(spec TableSpec) (*table, error) {
	t := newTable(stored{ID: rand.Text(), Spec: spec, Created: s.options.Now().UTC(), Label: s.streamLabel()})
	row, err := json.Marshal(t.stored)
	if err != nil {
		return nil, err
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		all := tx.Bucket(tablesBucket)
		if all.Get([]byte(spec.Name)) != nil {
			return awsjson.Errorf("ResourceInUseException", "Table already exists: %s", spec.Name)
		}
		for _, name := range [][]byte{t.items, t.stream} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		if err := all.Put([]byte(spec.Name), row); err != nil {
			return err
		}
		tx.OnCommit(func() { s.tables.set(spec.Name, t) })
		return nil
	})
	return t, err
}

// replaceTable stores another row for the same items.
func (s *Service) replaceTable(row stored) error {
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		if tx.Bucket([]byte("dynamodb/items/"+row.ID)) == nil {
			return noTable()
		}
		if err := tx.Bucket(tablesBucket).Put([]byte(row.Spec.Name), text); err != nil {
			return err
		}
		tx.OnCommit(func() { s.tables.set(row.Spec.Name, newTable(row)) })
		return nil
	})
}

func (s *Service) drop(t *table) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		if tx.Bucket(t.items) == nil {
			return noTable()
		}
		for _, name := range [][]byte{t.items, t.stream} {
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		if err := tx.Bucket(tablesBucket).Delete([]byte(t.Spec.Name)); err != nil {
			return err
		}
		tx.OnCommit(func() { s.tables.set(t.Spec.Name, nil) })
		return nil
	})
}

// table finds the table of a request.
func (s *Service) table(name string) (*table, error) {
	if name == "" {
		return nil, validation("The parameter 'TableName' is required but was not present in the request")
	}
	if t := s.tables.get(name); t != nil {
		return t, nil
	}
	return nil, noTable()
}

func (s *Service) tableARN(name string) string {
	return fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", s.options.Region, s.options.Account, name)
}

func (s *Service) streamARN(t *table) string {
	return s.tableARN(t.Spec.Name) + "/stream/" + t.Label
}
