package dynamodb

import (
	"encoding/json"

	"go.etcd.io/bbolt"

	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
)

func (s *Service) putItem(in *request) (any, error)    { return s.writeOne("Put", in) }
func (s *Service) updateItem(in *request) (any, error) { return s.writeOne("Update", in) }
func (s *Service) deleteItem(in *request) (any, error) { return s.writeOne("Delete", in) }

func (s *Service) writeOne(verb string, in *request) (any, error) {
	w, err := s.newWrite(verb, in)
	if err != nil {
		return nil, err
	}
	var answer json.RawMessage
	var wrote bool
	err = s.db.Update(func(tx *bbolt.Tx) error {
		c, err := w.prepare(tx)
		if in.spent = nil; err == nil || err == errCondition {
			in.spend(w.table, 0, c.writes(false))
		}
		if err == errCondition {
			return c.failed()
		}
		if err != nil {
			return err
		}
		answer = c.attributes(in.returnValues)
		wrote, err = c.apply(tx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	if wrote {
		s.wakers.wake(w.table.Spec.Name)
	}
	return answer, nil
}

var emptyAnswer = json.RawMessage("{}")

// attributes renders the answer that ReturnValues asks for.
func (c change) attributes(wanted string) json.RawMessage {
	switch wanted {
	case "ALL_OLD":
		if c.old != nil {
			return attributesJSON(c.old.json())
		}
	case "ALL_NEW":
		return attributesJSON(c.new.json())
	case "UPDATED_OLD":
		return c.touched(c.oldItem)
	case "UPDATED_NEW":
		return c.touched(c.newItem)
	}
	return emptyAnswer
}

// touched renders the parts of an item that the update names.
func (c change) touched(item attribute.Item) json.RawMessage {
	if c.update == nil {
		return emptyAnswer
	}
	part := expression.NewProjection(c.update.Paths()).Apply(item)
	if len(part) == 0 {
		return emptyAnswer
	}
	return attributesJSON(attribute.AppendItem(nil, part))
}

func attributesJSON(item []byte) json.RawMessage {
	b := make([]byte, 0, len(item)+16)
	b = append(b, `{"Attributes":`...)
	b = append(b, item...)
	return append(b, '}')
}
