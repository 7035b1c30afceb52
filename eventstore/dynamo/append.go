package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
)

const (
	absent = "attribute_not_exists(" + attrPK + ")"
	oldOne = types.ReturnValuesOnConditionCheckFailureAllOld
)

// Append implements [eventstore.Driver].
func (d *Driver) Append(ctx context.Context, w eventstore.Write) error {
	if err := alive(ctx, "append"); err != nil {
		return err
	}
	if w.Claim == nil && len(w.Rows) == 0 {
		return d.put(ctx, w.Record)
	}
	return d.transact(ctx, w)
}

// put costs half of a transaction and is what most commits are.
func (d *Driver) put(ctx context.Context, r eventstore.Record) error {
	_, err := d.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: d.table, Item: recordItem(r),
		ConditionExpression: aws.String(absent), ReturnValuesOnConditionCheckFailure: oldOne,
	})
	var taken *types.ConditionalCheckFailedException
	if errors.As(err, &taken) {
		return d.conflict(ctx, r, taken.Item)
	}
	return coded("append", err)
}

func (d *Driver) transact(ctx context.Context, w eventstore.Write) error {
	items := make([]types.TransactWriteItem, 0, 2+len(w.Rows))
	if w.Claim != nil {
		items = append(items, d.putNew(claimItem(w.Record.Stream, *w.Claim)))
	}
	items = append(items, d.putNew(recordItem(w.Record)))
	for _, r := range w.Rows {
		items = append(items, d.move(r))
	}
	// No token of ours. DynamoDB wants a token's request repeated byte for byte, and
	// the SDK writes maps in random order; the conditions tell our own commit from
	// another's for ever, not for ten minutes.
	_, err := d.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		return d.cancelled(ctx, w, cancelled)
	}
	return coded("append", err)
}

func (d *Driver) putNew(i item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: d.table, Item: i,
		ConditionExpression: aws.String(absent), ReturnValuesOnConditionCheckFailure: oldOne,
	}}
}

func (d *Driver) move(r eventstore.Row) types.TransactWriteItem {
	if len(r.Data) == 0 {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: d.table, Key: keyOf(r.RowKey)}}
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: d.table, Item: rowItem(r)}}
}

// conflict reports who stands at the place. The answer shows it, but for some
// emulators.
func (d *Driver) conflict(ctx context.Context, r eventstore.Record, old item) error {
	old, err := d.standing(ctx, recordKey(r.Stream, r.First), old)
	if err != nil {
		return err
	}
	existing, err := readRecord(old)
	if err != nil {
		return err
	}
	return &eventstore.Conflict{Existing: existing}
}

// standing is the item that made a condition fail: as the answer showed it, or
// read back. An absent read-back proves nothing, so the outcome stays unknown
// and the Journal sends the same commit again.
func (d *Driver) standing(ctx context.Context, key eventstore.RowKey, shown item) (item, error) {
	if len(shown) > 0 {
		return shown, nil
	}
	i, err := d.get(ctx, key)
	if err == nil && i == nil {
		err = eventstore.Errorf(eventstore.Unavailable, "append", "%s %s was taken and is not there", key.Partition, key.Sort)
	}
	return i, err
}
