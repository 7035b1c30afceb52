package dynamodb

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"go.etcd.io/bbolt"

	"windlass/localstack/awsjson"
)

// Limits of one transaction.
const (
	maxActions          = 100
	maxTransactionBytes = 4 << 20
)

// reason is one entry of CancellationReasons.
type reason struct {
	code, message string
	item          json.RawMessage
}

const reasonNone = "None"

// reasonMessages are AWS's for the codes of injected reasons.
var reasonMessages = map[string]string{
	"ConditionalCheckFailed":        "The conditional request failed",
	"TransactionConflict":           "Transaction is ongoing for the item",
	"ThrottlingError":               "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.",
	"ProvisionedThroughputExceeded": "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
	"ValidationError":               "The provided expression refers to an attribute that does not exist in the item",
}

// cancelled is the answer to a transaction of which something failed.
func cancelled(reasons []reason) error {
	codes := make([]string, len(reasons))
	list := make([]map[string]any, len(reasons))
	for i, r := range reasons {
		codes[i] = r.code
		list[i] = map[string]any{"Code": r.code}
		if r.message != "" {
			list[i]["Message"] = r.message
		}
		if r.item != nil {
			list[i]["Item"] = r.item
		}
	}
	err := awsjson.Errorf("TransactionCanceledException", "Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", strings.Join(codes, ", "))
	err.Fields = map[string]any{"CancellationReasons": list}
	return err
}

func (in *request) checkActions(writes bool) error {
	switch {
	case len(in.actions) == 0:
		return constraint("transactItems", "Member must have length greater than or equal to 1")
	case len(in.actions) > maxActions:
		return constraint("transactItems", "Member must have length less than or equal to 100")
	case len(in.token) > 36 || in.has("ClientRequestToken") && (in.token == "" || !writes):
		return constraint("clientRequestToken", "Member must have length less than or equal to 36 and greater than or equal to 1, and is for writes")
	}
	for i, a := range in.actions {
		if writes == (a.verb == "Get") {
			return validation("unknown field TransactItems[%d].%s", i, a.verb)
		}
		if a.verb == "Update" && !a.in.has("UpdateExpression") {
			return validation("The parameter 'UpdateExpression' is required but was not present in the request")
		}
		if a.verb == "ConditionCheck" && !a.in.has("ConditionExpression") {
			return validation("The parameter 'ConditionExpression' is required but was not present in the request")
		}
	}
	return nil
}

func (s *Service) transactWriteItems(in *request) (any, error) {
	if err := in.checkActions(true); err != nil {
		return nil, err
	}
	writes := make([]*write, len(in.actions))
	seen := make(map[string]bool, len(writes))
	for i, a := range in.actions {
		w, err := s.newWrite(a.verb, a.in)
		if err != nil {
			return nil, err
		}
		id := w.table.ID + string(w.key)
		if seen[id] {
			return nil, validation("Transaction request cannot include multiple operations on one item")
		}
		seen[id], writes[i] = true, w
	}
	var print fingerprint
	if in.token != "" {
		print = in.fingerprint()
	}
	var wrote []bool
	err := s.db.Update(func(tx *bbolt.Tx) (err error) {
		wrote, err = s.transact(tx, in, writes, print)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.wakeAll(writes, wrote)
	return emptyAnswer, nil
}

// transact checks everything before it writes anything.
func (s *Service) transact(tx *bbolt.Tx, in *request, writes []*write, print fingerprint) ([]bool, error) {
	in.spent = nil
	if in.token != "" {
		done, err := s.tokenSeen(tx, in.token, print)
		if done {
			err = in.spendRepeated(tx, writes)
		}
		if done || err != nil {
			return nil, err
		}
	}
	changes := make([]change, len(writes))
	reasons := make([]reason, len(writes))
	failed := false
	for i, w := range writes {
		c, err := w.prepare(tx)
		if reasons[i], err = c.reason(err); err != nil {
			return nil, err
		}
		failed = failed || reasons[i].code != reasonNone
		changes[i] = c
		in.spend(w.table, 0, c.writes(true))
	}
	if failed {
		return nil, cancelled(reasons)
	}
	if transactionSize(changes) > maxTransactionBytes {
		return nil, validation("Transaction request exceeds the limit of 4 MB: Collection size of the items is too large")
	}
	if in.token != "" {
		if err := s.keepToken(tx, in.token, print); err != nil {
			return nil, err
		}
	}
	wrote := make([]bool, len(changes))
	for i, c := range changes {
		var err error
		if wrote[i], err = c.apply(tx, s); err != nil {
			return nil, err
		}
	}
	return wrote, nil
}

// spendRepeated is for a transaction that was done already: its items are read.
func (in *request) spendRepeated(tx *bbolt.Tx, writes []*write) error {
	for _, w := range writes {
		bucket := tx.Bucket(w.table.items)
		if bucket == nil {
			return noTable()
		}
		in.spend(w.table, readUnits(row(bucket.Get(w.key)).size(), transactional), 0)
	}
	return nil
}

// reason turns the outcome of one action into its entry. Errors that are not
// the client's end the whole transaction.
func (c change) reason(err error) (reason, error) {
	var answer *awsjson.Error
	switch {
	case err == nil:
		return reason{code: reasonNone}, nil
	case err == errCondition:
		r := reason{code: "ConditionalCheckFailed", message: errCondition.Message}
		if c.wantsOld && c.old != nil {
			r.item = bytes.Clone(c.old.json())
		}
		return r, nil
	case errors.As(err, &answer) && answer.Code == "ValidationException":
		return reason{code: "ValidationError", message: answer.Message}, nil
	}
	return reason{}, err
}

// transactionSize counts what is written, and keys where nothing is.
func transactionSize(changes []change) int {
	size := 0
	for _, c := range changes {
		if c.new != nil && c.verb != "ConditionCheck" {
			size += c.new.size()
		} else {
			size += c.keyItem.Size()
		}
	}
	return size
}

func (s *Service) wakeAll(writes []*write, wrote []bool) {
	for i, wrote := range wrote {
		if wrote {
			s.wakers.wake(writes[i].table.Spec.Name)
		}
	}
}
