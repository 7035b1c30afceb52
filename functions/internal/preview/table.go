package preview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
)

// client is what Table calls of *dynamodb.Client.
type client interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

// Table is the rows of previews in the live table. It is safe for concurrent use.
type Table struct {
	// Client may retry as the SDK does by default.
	Client client
	// Name is the live table's.
	Name string
	Now  func() time.Time
}

// Put overwrites the session's row, unless a newer one of the same operation stands
// there: then stored is false. Again is as once. After an error it may be stored.
func (t *Table) Put(ctx context.Context, s eventstore.Stream, r Row) (stored bool, err error) {
	i := r.item(s, t.Now())
	_, err = t.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.Name, Item: i,
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR #operation <> :operation OR #place <= :place"),
		ExpressionAttributeNames:  map[string]string{"#operation": "operation", "#place": "place"},
		ExpressionAttributeValues: item{":operation": i["operation"], ":place": i["place"]},
	})
	var newer *types.ConditionalCheckFailedException
	switch {
	case errors.As(err, &newer):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("preview: put: %w", err)
	}
	return true, nil
}

// Row is the session's row, if there is one. The read is consistent. Whether it is of
// an answer that still runs only the log knows.
func (t *Table) Row(ctx context.Context, s eventstore.Stream) (r Row, found bool, err error) {
	out, err := t.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.Name, Key: key(s), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return Row{}, false, fmt.Errorf("preview: get: %w", err)
	}
	if len(out.Item) == 0 {
		return Row{}, false, nil
	}
	r, err = read(out.Item)
	return r, err == nil, err
}
