package connection

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/functions/internal/fault"
)

// Subscribe adds a subscription: both its rows, or none. Repeating it changes
// nothing. Errors are invalid_request, not_found if the connection is gone or was
// opened for another session, too_many_subscriptions, and unavailable.
func (t *Table) Subscribe(ctx context.Context, c Connection, s Subscription) error {
	if err := s.check(c.Grant); err != nil {
		return err
	}
	reasons, err := t.transact(ctx,
		t.count(c.ID, 1, "subscriptions < :max", item{":max": number(MaxSubscriptions)}),
		types.TransactWriteItem{Put: &types.Put{
			TableName: &t.Name, Item: subscriptionItem(c, s), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		}},
		types.TransactWriteItem{Put: &types.Put{TableName: &t.Name, Item: subscriberItem(c, s)}},
	)
	switch {
	case err == nil:
		return nil
	case failed(reasons, 0):
		return t.full(ctx, c.ID, failed(reasons, 1))
	case failed(reasons, 1): // it has this subscription: both rows, as they were written together
		return nil
	}
	return unavailable(err)
}

// full explains a connection that took no subscription more: it has as many as it
// may, which does not matter for one that it has; or there is no connection.
func (t *Table) full(ctx context.Context, id string, has bool) error {
	if _, err := t.Connection(ctx, id); err != nil || has {
		return err
	}
	return fault.New(fault.TooManySubscriptions, "this connection has %d subscriptions; unsubscribe from one, or open another connection", MaxSubscriptions)
}

// Unsubscribe takes a subscription away: both its rows, or none. Repeating it
// changes nothing, nor does one that there never was. Errors are invalid_request,
// not_found if the connection was opened for another session, and unavailable.
func (t *Table) Unsubscribe(ctx context.Context, c Connection, s Subscription) error {
	if err := s.check(c.Grant); err != nil {
		return err
	}
	reasons, err := t.transact(ctx,
		t.count(c.ID, -1, "attribute_exists(pk)", nil),
		types.TransactWriteItem{Delete: &types.Delete{
			TableName: &t.Name, Key: subscriptionKey(c.ID, s), ConditionExpression: aws.String("attribute_exists(pk)"),
		}},
		types.TransactWriteItem{Delete: &types.Delete{TableName: &t.Name, Key: subscriberKey(c.ID, c.Tenant, s)}},
	)
	// Without a connection it is being forgotten, and its subscriptions with it.
	if failed(reasons, 0) || failed(reasons, 1) {
		return nil
	}
	return unavailable(err)
}

// count changes the number of a connection's subscriptions, on a condition that
// fails if there is no connection.
func (t *Table) count(id string, by int64, condition string, values item) types.TransactWriteItem {
	all := item{":by": number(by)}
	for name, v := range values {
		all[name] = v
	}
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.Name, Key: connectionKey(id),
		UpdateExpression: aws.String("ADD subscriptions :by"), ConditionExpression: &condition, ExpressionAttributeValues: all,
	}}
}
