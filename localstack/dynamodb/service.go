package dynamodb

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
)

// Options of a service. The zero value is for production on a laptop.
type Options struct {
	Region  string           // default us-east-1
	Account string           // default 000000000000
	Now     func() time.Time // default time.Now
	Fault   func(op, table string) *Fault
	// Consumed is told what each request consumed of a table, failed conditions
	// included. The context is the request's.
	Consumed func(ctx context.Context, op string, c Capacity)
}

// Service answers the DynamoDB and DynamoDB Streams APIs. All methods are safe
// for concurrent use.
type Service struct {
	db      *disk.DB
	options Options
	tables  tables
	wakers  wakers
}

// Top-level buckets. Items and stream of a table have a bucket each, named by
// the table's id, so that a table made anew is never taken for the old one.
var (
	tablesBucket = []byte("dynamodb/tables")
	tokensBucket = []byte("dynamodb/tokens")
)

// Open loads the tables that the file holds.
func Open(db *disk.DB, opts Options) (*Service, error) {
	if opts.Region == "" {
		opts.Region = "us-east-1"
	}
	if opts.Account == "" {
		opts.Account = "000000000000"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Service{db: db, options: opts}
	err := db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{tablesBucket, tokensBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open dynamodb: %w", err)
	}
	if err := s.loadTables(); err != nil {
		return nil, fmt.Errorf("open dynamodb: %w", err)
	}
	return s, nil
}

const contentType = "application/x-amz-json-1.0"

// Handler serves the DynamoDB API.
func (s *Service) Handler() http.Handler {
	return awsjson.Handler("DynamoDB_20120810", contentType, map[string]awsjson.Operation{
		"CreateTable":        s.createTable,
		"DescribeTable":      s.describeTable,
		"ListTables":         s.listTables,
		"DeleteTable":        s.deleteTable,
		"UpdateTimeToLive":   s.updateTimeToLive,
		"DescribeTimeToLive": s.describeTimeToLive,
		"PutItem":            s.operation("PutItem", putFields, s.putItem),
		"GetItem":            s.operation("GetItem", getFields, s.getItem),
		"UpdateItem":         s.operation("UpdateItem", updateFields, s.updateItem),
		"DeleteItem":         s.operation("DeleteItem", deleteFields, s.deleteItem),
		"BatchGetItem":       s.operation("BatchGetItem", batchGetFields, s.batchGetItem),
		"Query":              s.operation("Query", queryFields, s.query),
		"Scan":               s.operation("Scan", scanFields, s.scan),
		"TransactWriteItems": s.operation("TransactWriteItems", transactFields, s.transactWriteItems),
		"TransactGetItems":   s.operation("TransactGetItems", transactFields, s.transactGetItems),
	})
}

// StreamsHandler serves the DynamoDB Streams API.
func (s *Service) StreamsHandler() http.Handler {
	return awsjson.Handler("DynamoDBStreams_20120810", contentType, map[string]awsjson.Operation{
		"ListStreams":      s.listStreams,
		"DescribeStream":   s.describeStream,
		"GetShardIterator": s.getShardIterator,
		"GetRecords":       s.getRecords,
	})
}

// tables is what the tables bucket holds, in memory.
type tables struct {
	mu     sync.RWMutex
	byName map[string]*table
}

func (t *tables) get(name string) *table {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byName[name]
}

func (t *tables) set(name string, to *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if to == nil {
		delete(t.byName, name)
	} else {
		t.byName[name] = to
	}
}
