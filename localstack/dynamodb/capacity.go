package dynamodb

import (
	"context"
	"encoding/json"
)

// Capacity is what a request consumes of one table, in the units that are billed:
// a read unit is 4 KB, a write unit 1 KB, of an item or of a query's items together.
// Reads come in halves.
//
// The rules are those of "DynamoDB read and write operations" in the developer guide
// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html),
// of "Amazon DynamoDB transactions: how it works" for transactions and their repetition,
// and of "On-demand capacity mode". A failed condition is billed by the larger of the
// item that is there and the one that was to be; so is a cancelled transaction, for each
// of its actions. The guide does not say what a transaction's ConditionCheck consumes:
// it counts as a write of the item that it looks at.
type Capacity struct {
	Table       string
	Read, Write float64
}

const (
	readUnit  = 4 << 10
	writeUnit = 1 << 10
)

// consistency is what a unit of a read is multiplied by.
type consistency float64

const (
	eventual      consistency = 0.5
	strong        consistency = 1
	transactional consistency = 2
)

func consistencyOf(strongly bool) consistency {
	if strongly {
		return strong
	}
	return eventual
}

// readUnits are those of so many bytes; what is not there costs as much as the least.
func readUnits(bytes int, c consistency) float64 {
	return float64(c) * float64(units(bytes, readUnit))
}

// writeUnits are those of an item before and after a write: the larger counts.
func writeUnits(before, after int, inTransaction bool) float64 {
	n := float64(units(max(before, after), writeUnit))
	if inTransaction {
		return 2 * n
	}
	return n
}

func units(bytes, unit int) int { return max(1, (bytes+unit-1)/unit) }

// writes is what a change consumes, whether its condition holds or not.
func (c change) writes(inTransaction bool) float64 {
	return writeUnits(c.old.size(), max(c.put.size(), c.new.size()), inTransaction)
}

// spend notes what a request consumes.
func (in *request) spend(t *table, read, write float64) {
	for i := range in.spent {
		if in.spent[i].Table == t.Spec.Name {
			in.spent[i].Read += read
			in.spent[i].Write += write
			return
		}
	}
	in.spent = append(in.spent, Capacity{t.Spec.Name, read, write})
}

// account tells what a request has consumed, and adds it to the answer if that is asked
// for. AWS adds it to no error.
func (s *Service) account(ctx context.Context, name string, in *request, out any, err error) (any, error) {
	if s.options.Consumed != nil {
		for _, c := range in.spent {
			s.options.Consumed(ctx, name, c)
		}
	}
	answer, ok := out.(json.RawMessage)
	if err != nil || in.accounting != "TOTAL" || !ok || len(in.spent) == 0 {
		return out, err
	}
	many := len(in.actions) > 0 || len(in.batch) > 0
	consumed := make([]map[string]any, len(in.spent))
	for i, c := range in.spent {
		consumed[i] = map[string]any{"TableName": c.Table, "CapacityUnits": c.Read + c.Write}
		if len(in.actions) > 0 {
			if c.Read > 0 {
				consumed[i]["ReadCapacityUnits"] = c.Read
			}
			if c.Write > 0 {
				consumed[i]["WriteCapacityUnits"] = c.Write
			}
		}
	}
	var member []byte
	if many {
		member, err = json.Marshal(consumed)
	} else {
		member, err = json.Marshal(consumed[0])
	}
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, len(answer)+len(member)+24), answer[:len(answer)-1]...)
	if len(answer) > len("{}") {
		b = append(b, ',')
	}
	b = append(append(b, `"ConsumedCapacity":`...), member...)
	return json.RawMessage(append(b, '}')), nil
}
