package dynamodb

import (
	"encoding/binary"

	"windlass/localstack/dynamodb/attribute"
)

// MaxItem is the largest item, by the size rule of package attribute.
const MaxItem = 400 << 10

// row is an item as it is stored: its size (four bytes, big-endian), then its
// canonical JSON, which is also how it is answered. A nil row is no item. Rows
// that come from a transaction are valid only inside it.
type row []byte

func newRow(item attribute.Item) row {
	size := item.Size()
	b := make([]byte, 4, 4+size+size/8+64)
	binary.BigEndian.PutUint32(b, uint32(size))
	return attribute.AppendItem(b, item)
}

// size is 0 of no item.
func (r row) size() int {
	if r == nil {
		return 0
	}
	return int(binary.BigEndian.Uint32(r))
}

func (r row) json() []byte { return r[4:] }

func (r row) item() (attribute.Item, error) {
	if r == nil {
		return nil, nil
	}
	item, err := attribute.ParseItem(r.json())
	if err != nil {
		return nil, corrupt("item", err)
	}
	return item, nil
}
