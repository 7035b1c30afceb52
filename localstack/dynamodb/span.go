package dynamodb

import (
	"bytes"
	"slices"
	"strconv"

	"go.etcd.io/bbolt"

	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
)

// span is a range of keys in a bucket: low is inside, high is outside; a nil
// high is the end of the bucket.
type span struct{ low, high []byte }

func (s span) contains(key []byte) bool {
	return bytes.Compare(key, s.low) >= 0 && (s.high == nil || bytes.Compare(key, s.high) < 0)
}

func (s span) first(c *bbolt.Cursor, backward bool) (key, value []byte) {
	switch {
	case !backward:
		key, value = c.Seek(s.low)
	case s.high == nil:
		key, value = c.Last()
	default:
		if key, _ = c.Seek(s.high); key == nil {
			key, value = c.Last()
		} else {
			key, value = c.Prev()
		}
	}
	return s.within(key, value)
}

func (s span) next(c *bbolt.Cursor, backward bool) (key, value []byte) {
	if backward {
		key, value = c.Prev()
	} else {
		key, value = c.Next()
	}
	return s.within(key, value)
}

func (s span) within(key, value []byte) ([]byte, []byte) {
	if key == nil || !s.contains(key) {
		return nil, nil
	}
	return key, value
}

// after is the least key above key: no key extends another one of its partition
// by a zero byte alone and stands between them.
func after(key []byte) []byte { return append(slices.Clone(key), 0) }

// past is the least key above all that begin with the prefix, which is never
// all 0xff: it begins with a length.
func past(prefix []byte) []byte {
	p := slices.Clone(prefix)
	for p[len(p)-1] == 0xff {
		p = p[:len(p)-1]
	}
	p[len(p)-1]++
	return p
}

// spanOf turns a key condition into the range it selects.
func (t *table) spanOf(c expression.KeyCondition) (span, error) {
	if c.Hash.Kind != t.Spec.HashKey.Kind {
		return span{}, validation("One or more parameter values were invalid: Condition parameter type does not match schema type")
	}
	if err := checkKey(t.Spec.HashKey, c.Hash, maxHashKey); err != nil {
		return span{}, err
	}
	partition := prefix(c.Hash)
	all := span{partition, past(partition)}
	if c.Op == "" {
		return all, nil
	}
	for _, v := range []attribute.Value{c.Low, c.High} {
		if v.Kind != t.Spec.SortKey.Kind {
			return span{}, validation("One or more parameter values were invalid: Condition parameter type does not match schema type")
		}
		if err := checkKey(t.Spec.SortKey, v, maxSortKey); err != nil {
			return span{}, err
		}
	}
	low := attribute.AppendSortKey(slices.Clone(partition), c.Low)
	high := attribute.AppendSortKey(slices.Clone(partition), c.High)
	switch c.Op {
	case "=":
		return span{low, after(low)}, nil
	case "<":
		return span{partition, low}, nil
	case "<=":
		return span{partition, after(low)}, nil
	case ">":
		return span{after(low), all.high}, nil
	case ">=":
		return span{low, all.high}, nil
	case "BETWEEN":
		return span{low, after(high)}, nil
	}
	return span{low, past(low)}, nil // begins_with, which is refused for numbers
}

func appendCounts(b []byte, count, scanned int) []byte {
	b = strconv.AppendInt(append(b, `"Count":`...), int64(count), 10)
	b = strconv.AppendInt(append(b, `,"ScannedCount":`...), int64(scanned), 10)
	return append(b, '}')
}
