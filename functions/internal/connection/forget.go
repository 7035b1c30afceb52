package connection

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// forgetAtOnce is the subscriptions of one transaction, of two rows each; DynamoDB
// takes 100 actions.
const forgetAtOnce = 50

// Forget deletes a connection and all its subscriptions. It may be called again,
// also after a crash in the middle, and for what there never was.
func (t *Table) Forget(ctx context.Context, id string) error {
	// First, so that no subscription is added meanwhile.
	err := patiently(ctx, func() error {
		_, err := t.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.Name, Key: connectionKey(id)})
		return err
	})
	if err != nil {
		return unavailable(err)
	}
	items, err := t.pages(ctx, connectionPartition(id), subscriptionPrefix)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(items, forgetAtOnce) {
		if err := t.forget(ctx, id, some); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes both rows of subscriptions together: one alone would hide the
// other from the next call.
func (t *Table) forget(ctx context.Context, id string, items []item) error {
	var deletes []types.TransactWriteItem
	for _, i := range items {
		s, tenant, err := readSubscription(i)
		if err != nil {
			return err
		}
		for _, key := range []item{subscriberKey(id, tenant, s), subscriptionKey(id, s)} {
			deletes = append(deletes, types.TransactWriteItem{Delete: &types.Delete{TableName: &t.Name, Key: key}})
		}
	}
	_, err := t.transact(ctx, deletes...)
	return unavailable(err)
}
