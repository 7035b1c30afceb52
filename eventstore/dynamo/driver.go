package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/eventstore"
)

// client is what this package calls of *dynamodb.Client.
type client interface {
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Driver is safe for concurrent use.
type Driver struct {
	client client
	table  *string
}

var (
	_ eventstore.Driver = (*Driver)(nil)
	_ eventstore.Eraser = (*Driver)(nil)
)

// New makes a driver over a table. Make the client with [Options]:
//
//	dynamo.New(dynamodb.NewFromConfig(cfg, dynamo.Options), "log")
func New(c client, table string) *Driver { return &Driver{client: c, table: aws.String(table)} }

// Options turns the SDK's retries off, whatever the environment says: the
// Journal alone retries, because it alone knows its own commit again.
func Options(o *dynamodb.Options) {
	o.Retryer = aws.NopRetryer{}
	o.RetryMaxAttempts = 0 // another value would wrap the Retryer
}
