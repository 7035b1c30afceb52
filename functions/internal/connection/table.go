package connection

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/functions/internal/fault"
)

// client is what Table calls of *dynamodb.Client.
type client interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Table is the rows of connections in the live table. It is safe for concurrent
// use. Every read is consistent. An error of DynamoDB is unavailable and wraps its
// cause; what was asked for may have been done then, and may be asked for again.
type Table struct {
	// Client may retry as the SDK does by default. Table itself tries again only
	// where others were in the way.
	Client client
	// Name is the live table's.
	Name string
	Now  func() time.Time
}

// Open keeps a connection until it is forgotten. It has no subscriptions.
func (t *Table) Open(ctx context.Context, c Connection) error {
	_, err := t.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.Name, Item: connectionItem(c)})
	return unavailable(err)
}

// Connection finds an open connection. The error is not_found if there is none.
func (t *Table) Connection(ctx context.Context, id string) (Connection, error) {
	out, err := t.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &t.Name, Key: connectionKey(id), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return Connection{}, unavailable(err)
	}
	if len(out.Item) == 0 || expired(out.Item, t.Now()) {
		return Connection{}, unknown()
	}
	return readConnection(id, out.Item)
}

// pages reads the items of one partition whose sort keys begin with prefix.
func (t *Table) pages(ctx context.Context, partition, prefix string) ([]item, error) {
	in := t.query(partition, prefix)
	var items []item
	for {
		out, err := t.Client.Query(ctx, in)
		if err != nil {
			return nil, unavailable(err)
		}
		items = append(items, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			return items, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func (t *Table) query(partition, prefix string) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName: &t.Name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(partition)},
	}
	if prefix != "" {
		in.KeyConditionExpression = aws.String("pk = :pk AND begins_with(sk, :prefix)")
		in.ExpressionAttributeValues[":prefix"] = text(prefix)
	}
	return in
}

func unknown() error {
	return fault.New(fault.NotFound, "this connection is not known, or no more; connect again")
}

// unavailable keeps nil as it is.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("connection: %w: %w", fault.New(fault.Unavailable, "the table of connections gave no answer; send the same again"), err)
}
