package dynamodb

import (
	"encoding/binary"

	"windlass/localstack/dynamodb/attribute"
)

// Limits of a primary key, in bytes.
const (
	maxHashKey = 2048
	maxSortKey = 1024
)

// An item's key in its bucket is the length of the hash key (two bytes), the
// hash key, the sort key. So a partition is contiguous and in order.

// keyOf finds the primary key in an item that is to be written.
func (t *table) keyOf(item attribute.Item) ([]byte, error) {
	for _, k := range t.Spec.keys() {
		v, ok := item.Get(k.Name)
		switch {
		case !ok:
			return nil, validation("One or more parameter values were invalid: Missing the key %s in the item", k.Name)
		case v.Kind != k.Kind:
			return nil, validation("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", k.Name, k.Kind, v.Kind)
		}
	}
	return t.encode(item)
}

// keyFrom reads a request's Key, which names the primary key and no more.
func (t *table) keyFrom(key attribute.Item) ([]byte, error) {
	keys := t.Spec.keys()
	for _, k := range keys {
		if v, ok := key.Get(k.Name); !ok || v.Kind != k.Kind {
			return nil, validation("The provided key element does not match the schema")
		}
	}
	if len(key) != len(keys) {
		return nil, validation("The provided key element does not match the schema")
	}
	return t.encode(key)
}

// encode expects the key attributes to be there, with the right types.
func (t *table) encode(item attribute.Item) ([]byte, error) {
	hash, _ := item.Get(t.Spec.HashKey.Name)
	if err := checkKey(t.Spec.HashKey, hash, maxHashKey); err != nil {
		return nil, err
	}
	b := prefix(hash)
	if t.Spec.SortKey.Name == "" {
		return b, nil
	}
	sort, _ := item.Get(t.Spec.SortKey.Name)
	if err := checkKey(t.Spec.SortKey, sort, maxSortKey); err != nil {
		return nil, err
	}
	return attribute.AppendSortKey(b, sort), nil
}

func checkKey(k KeyAttribute, v attribute.Value, limit int) error {
	switch {
	case v.Kind == attribute.Number:
		return nil
	case v.Text == "":
		what := map[attribute.Kind]string{attribute.String: "string", attribute.Binary: "binary"}[v.Kind]
		return validation("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", what, k.Name)
	case len(v.Text) > limit && limit == maxHashKey:
		return validation("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes")
	case len(v.Text) > limit:
		return validation("One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
	}
	return nil
}

// prefix is what the keys of a partition begin with.
func prefix(hash attribute.Value) []byte {
	b := make([]byte, 0, 2+len(hash.Text)+48)
	b = binary.BigEndian.AppendUint16(b, uint16(len(hash.Text)))
	return append(b, hash.Text...)
}

// decodeKey is the inverse of encode.
func (t *table) decodeKey(key []byte) attribute.Item {
	n := int(binary.BigEndian.Uint16(key))
	hash := attribute.Value{Kind: t.Spec.HashKey.Kind, Text: string(key[2 : 2+n])}
	item := attribute.Item{{Name: t.Spec.HashKey.Name, Value: hash}}
	if t.Spec.SortKey.Name == "" {
		return item
	}
	return item.With(t.Spec.SortKey.Name, attribute.ParseSortKey(t.Spec.SortKey.Kind, key[2+n:]))
}
