package eventsource

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"time"
)

// A Record is one change of an item. Partition and Item identify its partition
// key and its whole key; Body is the record as Lambda delivers it.
type Record struct {
	Sequence  string
	Partition string
	Item      string
	Created   time.Time
	Body      json.RawMessage
}

// shuffle permutes records but keeps those of one item in their order.
func shuffle(records []Record, with func(int, func(i, j int))) {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	with(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	places := map[string][]int{} // of each item, in the new order
	for place, i := range order {
		places[records[i].Item] = append(places[records[i].Item], place)
	}
	old := slices.Clone(records)
	for _, r := range old {
		free := places[r.Item]
		records[free[0]], places[r.Item] = r, free[1:]
	}
}

func lane(key string, lanes int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // a hash never fails
	return int(h.Sum32() % uint32(lanes))
}
