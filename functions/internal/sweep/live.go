package sweep

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
)

// deleter is what Live calls besides.
type deleter interface {
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
}

// Live is the rows of sessions in the live table, as packages connection and preview put
// them. Tickets and connections stay: they are
// not a session's alone, and expire.
type Live struct {
	Client deleter
	Table  string
	// Connections are those of the same table.
	Connections *connection.Table
}

// Erase removes a session's rows; those of its followers only if they are told so: they
// hear of the deletion by them.
func (l *Live) Erase(ctx context.Context, s eventstore.Stream, followers bool) error {
	err := l.erase(ctx, "preview#"+s.Tenant+"#"+s.Session, "preview")
	if err != nil || !followers {
		return err
	}
	all, err := l.Connections.Subscribers(ctx, s)
	if err != nil {
		return err
	}
	for _, f := range all {
		c := connection.Connection{ID: f.Connection, Grant: connection.Grant{Tenant: s.Tenant}}
		if err := l.Connections.Unsubscribe(ctx, c, connection.Subscription{Session: s.Session, Operation: f.Operation}); err != nil {
			return err
		}
		if err := l.orphans(ctx, s, f); err != nil {
			return err
		}
	}
	return nil
}

// orphans are what a connection that is gone left behind: to unsubscribe it changes
// nothing. The row by which they were found goes last.
func (l *Live) orphans(ctx context.Context, s eventstore.Stream, f connection.Subscriber) error {
	err := l.erase(ctx, "connection#"+f.Connection, "subscription#"+s.Session+"#"+f.Operation)
	if err != nil {
		return err
	}
	return l.erase(ctx, "subscribers#"+s.Tenant+"#"+s.Session, f.Connection+"#"+f.Operation)
}

func (l *Live) erase(ctx context.Context, partition, sort string) error {
	_, err := l.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &l.Table, Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: partition}, "sk": &types.AttributeValueMemberS{Value: sort},
	}})
	if err != nil {
		return fmt.Errorf("sweep: %s: %w", partition, err)
	}
	return nil
}
