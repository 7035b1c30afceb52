package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/eventstore"
)

// Erase implements [eventstore.Eraser].
func (d *Driver) Erase(ctx context.Context, key eventstore.RowKey) error {
	if err := alive(ctx, "erase"); err != nil {
		return err
	}
	_, err := d.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: d.table, Key: keyOf(key)})
	return coded("erase", err)
}
