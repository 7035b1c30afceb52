package dynamodb

import (
	"encoding/json"

	"go.etcd.io/bbolt"
)

func (s *Service) transactGetItems(in *request) (any, error) {
	if err := in.checkActions(false); err != nil {
		return nil, err
	}
	reads := make([]read, len(in.actions))
	seen := make(map[string]bool, len(reads))
	for i, a := range in.actions {
		var err error
		if reads[i], err = s.newRead(a.in, a.in.key); err != nil {
			return nil, err
		}
		id := reads[i].table.ID + string(reads[i].key)
		if seen[id] {
			return nil, validation("Transaction request cannot include multiple operations on one item")
		}
		seen[id] = true
	}
	return s.readTogether(in, reads)
}

// readTogether answers reads from one snapshot, in their order.
func (s *Service) readTogether(in *request, reads []read) (any, error) {
	b := []byte(`{"Responses":[`)
	size := 0
	err := s.db.View(func(tx *bbolt.Tx) error {
		for i, r := range reads {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '{')
			found, err := r.get(tx)
			if err != nil {
				return err
			}
			in.spend(r.table, readUnits(found.size(), transactional), 0)
			if found != nil {
				size += found.size()
				if b, err = appendRow(append(b, `"Item":`...), found, r.projection); err != nil {
					return err
				}
			}
			b = append(b, '}')
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case size > maxTransactionBytes:
		return nil, validation("Transaction request exceeds the limit of 4 MB")
	}
	return json.RawMessage(append(b, "]}"...)), nil
}
