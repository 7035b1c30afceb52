package dynamodb

import (
	"bytes"
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"

	"windlass/localstack/awsjson"
	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
)

// write is one validated change of one item, alone or in a transaction.
type write struct {
	table     *table
	verb      string // Put, Update, Delete or ConditionCheck
	key       []byte
	keyItem   attribute.Item // the key attributes alone
	put       row
	update    *expression.Update
	condition expression.Condition
	wantsOld  bool // in the answer to a failed condition
}

// change is what a write comes to, seen from inside a transaction.
type change struct {
	*write
	old, new         row
	oldItem, newItem attribute.Item // for updates and conditions
}

// errCondition is the answer to a failed condition.
var errCondition = &awsjson.Error{Code: "ConditionalCheckFailedException", Message: "The conditional request failed"}

// newWrite validates all that can be validated without the stored item.
func (s *Service) newWrite(verb string, in *request) (*write, error) {
	t, err := s.table(in.table)
	if err != nil {
		return nil, err
	}
	w := &write{table: t, verb: verb, wantsOld: in.onFailure == "ALL_OLD"}
	if verb == "Put" {
		err = w.setItem(in)
	} else {
		w.keyItem = in.key
		w.key, err = t.keyFrom(in.key)
	}
	if err != nil {
		return nil, err
	}
	return w, w.setExpressions(in)
}

func (w *write) setItem(in *request) (err error) {
	if !in.has("Item") {
		return validation("The parameter 'Item' is required but was not present in the request")
	}
	if w.key, err = w.table.keyOf(in.item); err != nil {
		return err
	}
	for _, f := range in.item {
		if slices.Contains(w.table.Spec.keyNames(), f.Name) {
			w.keyItem = append(w.keyItem, f)
		}
	}
	if w.put = newRow(in.item); w.put.size() > MaxItem {
		return validation("Item size has exceeded the maximum allowed size")
	}
	return nil
}

func (w *write) setExpressions(in *request) error {
	params, err := in.placeholders("ConditionExpression", "UpdateExpression")
	if err != nil {
		return err
	}
	if in.has("UpdateExpression") {
		if w.update, err = expression.ParseUpdate(in.update, w.table.Spec.keyNames(), params); err != nil {
			return coded(err)
		}
	}
	if in.has("ConditionExpression") {
		if w.condition, err = expression.ParseCondition("ConditionExpression", in.condition, params); err != nil {
			return coded(err)
		}
	}
	return coded(params.Unused())
}

// placeholders refuses names and values where none of the expressions is given.
func (in *request) placeholders(expressions ...string) (*expression.Placeholders, error) {
	if !slices.ContainsFunc(expressions, in.has) {
		for _, field := range []string{"ExpressionAttributeNames", "ExpressionAttributeValues"} {
			if in.has(field) {
				return nil, validation("%s can only be specified when using expressions", field)
			}
		}
	}
	params, err := expression.NewPlaceholders(in.names, in.values)
	return params, coded(err)
}

// prepare reads the old item, checks the condition and computes the new item.
// It writes nothing.
func (w *write) prepare(tx *bbolt.Tx) (change, error) {
	c := change{write: w}
	bucket := tx.Bucket(w.table.items)
	if bucket == nil {
		return c, noTable()
	}
	c.old = bucket.Get(w.key)
	var err error
	if w.condition != nil || w.verb == "Update" {
		if c.oldItem, err = c.old.item(); err != nil {
			return c, err
		}
	}
	if w.condition != nil && !w.condition.Holds(c.oldItem) {
		return c, errCondition
	}
	switch w.verb {
	case "Put":
		c.new = w.put
	case "ConditionCheck":
		c.new = c.old
	case "Update":
		err = c.updated()
	}
	return c, err
}

// updated computes the new item; an update of nothing starts from the key.
func (c *change) updated() error {
	from := c.oldItem
	if c.old == nil {
		from = c.keyItem
	}
	c.newItem = from
	if c.update != nil {
		var err error
		if c.newItem, err = c.update.Apply(from); err != nil {
			return coded(err)
		}
	}
	if c.new = newRow(c.newItem); c.new.size() > MaxItem {
		return validation("Item size to update has exceeded the maximum allowed size")
	}
	return nil
}

// apply writes the change and its stream record, and reports whether there was
// anything to write.
func (c change) apply(tx *bbolt.Tx, s *Service) (bool, error) {
	if bytes.Equal(c.old, c.new) {
		return false, nil
	}
	// The record is made first: old points into the page that Put changes.
	if err := s.record(tx, c); err != nil {
		return false, err
	}
	bucket := tx.Bucket(c.table.items)
	if c.new == nil {
		return true, bucket.Delete(c.key)
	}
	return true, bucket.Put(c.key, c.new)
}

// failed is the answer to a failed condition, with the old item on request.
func (c change) failed() error {
	if !c.wantsOld || c.old == nil {
		return errCondition
	}
	answer := *errCondition
	answer.Fields = map[string]any{"Item": json.RawMessage(bytes.Clone(c.old.json()))}
	return &answer
}
