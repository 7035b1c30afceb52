package dynamodb

import (
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"

	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
	"windlass/localstack/dynamodb/jsonread"
)

// read is one validated read of one item.
type read struct {
	table      *table
	key        []byte
	projection *expression.Projection
}

func (s *Service) newRead(in *request, key attribute.Item) (read, error) {
	t, err := s.table(in.table)
	if err != nil {
		return read{}, err
	}
	r := read{table: t}
	if r.key, err = t.keyFrom(key); err != nil {
		return r, err
	}
	r.projection, err = in.parseProjection()
	return r, err
}

// parseProjection is for requests that have no other expression.
func (in *request) parseProjection() (*expression.Projection, error) {
	params, err := in.placeholders("ProjectionExpression")
	if err != nil || !in.has("ProjectionExpression") {
		return nil, err
	}
	p, err := expression.ParseProjection(in.projection, params)
	if err != nil {
		return nil, coded(err)
	}
	return p, coded(params.Unused())
}

// get returns the stored row, valid inside the transaction, nil if there is none.
func (r read) get(tx *bbolt.Tx) (row, error) {
	bucket := tx.Bucket(r.table.items)
	if bucket == nil {
		return nil, noTable()
	}
	return bucket.Get(r.key), nil
}

// appendRow appends the item or the projected part of it.
func appendRow(b []byte, found row, p *expression.Projection) ([]byte, error) {
	if p == nil {
		return append(b, found.json()...), nil
	}
	item, err := found.item()
	if err != nil {
		return b, err
	}
	return attribute.AppendItem(b, p.Apply(item)), nil
}

func (s *Service) getItem(in *request) (any, error) {
	r, err := s.newRead(in, in.key)
	if err != nil {
		return nil, err
	}
	answer := emptyAnswer
	err = s.db.View(func(tx *bbolt.Tx) error {
		found, err := r.get(tx)
		if err == nil {
			in.spend(r.table, readUnits(found.size(), consistencyOf(in.consistent)), 0)
		}
		if err != nil || found == nil {
			return err
		}
		b := append(make([]byte, 0, len(found)+16), `{"Item":`...)
		if b, err = appendRow(b, found, r.projection); err != nil {
			return err
		}
		answer = append(b, '}')
		return nil
	})
	return answer, err
}

// Limits of the operations that read many items by key.
const (
	maxBatch      = 100
	maxBatchBytes = 16 << 20
)

func (s *Service) batchGetItem(in *request) (any, error) {
	total := 0
	for _, one := range in.batch {
		total += len(one.keys)
		if len(one.keys) == 0 {
			return nil, constraint("requestItems."+one.table+".member.keys", "Member must have length greater than or equal to 1")
		}
	}
	switch {
	case total == 0:
		return nil, constraint("requestItems", "Member must have length greater than or equal to 1")
	case total > maxBatch:
		return nil, validation("Too many items requested for the BatchGetItem call")
	}
	reads := make([][]read, len(in.batch))
	for i, one := range in.batch {
		var err error
		if reads[i], err = s.batchReads(one); err != nil {
			return nil, err
		}
	}
	return s.readBatch(in, reads)
}

func (s *Service) batchReads(one *request) ([]read, error) {
	var reads []read
	for _, key := range one.keys {
		r, err := s.newRead(one, key)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(reads, func(o read) bool { return string(o.key) == string(r.key) }) {
			return nil, validation("Provided list of item keys contains duplicates")
		}
		reads = append(reads, r)
	}
	return reads, nil
}

// readBatch answers what fits into 16 MB and hands the rest back.
func (s *Service) readBatch(in *request, reads [][]read) (any, error) {
	b := []byte(`{"Responses":{`)
	size := 0
	left := map[string]json.RawMessage{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		for i, one := range in.batch {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsonread.AppendString(b, one.table), ":["...)
			for j, r := range reads[i] {
				found, err := r.get(tx)
				if err != nil {
					return err
				}
				if found == nil {
					in.spend(r.table, readUnits(0, consistencyOf(one.consistent)), 0)
					continue
				}
				if size += found.size(); size > maxBatchBytes {
					left[one.table] = one.rest(j)
					break
				}
				in.spend(r.table, readUnits(found.size(), consistencyOf(one.consistent)), 0)
				if b[len(b)-1] != '[' {
					b = append(b, ',')
				}
				if b, err = appendRow(b, found, r.projection); err != nil {
					return err
				}
			}
			b = append(b, ']')
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(left)
	b = append(append(b, `},"UnprocessedKeys":`...), rest...)
	return json.RawMessage(append(b, '}')), err
}

// rest is the request for the keys from index i on.
func (in *request) rest(i int) json.RawMessage {
	b := []byte(`{"Keys":[`)
	for j, key := range in.keys[i:] {
		if j > 0 {
			b = append(b, ',')
		}
		b = attribute.AppendItem(b, key)
	}
	b = append(b, ']')
	if in.has("ProjectionExpression") {
		b = jsonread.AppendString(append(b, `,"ProjectionExpression":`...), in.projection)
	}
	for j, n := range in.names {
		b = append(b, []string{`,"ExpressionAttributeNames":{`, `,`}[min(j, 1)]...)
		b = jsonread.AppendString(append(jsonread.AppendString(b, n.Placeholder), ':'), n.Attribute)
	}
	if len(in.names) > 0 {
		b = append(b, '}')
	}
	if in.consistent {
		b = append(b, `,"ConsistentRead":true`...)
	}
	return append(b, '}')
}
