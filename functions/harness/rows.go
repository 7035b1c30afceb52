package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/tenant"
	"windlass/functions/internal/turn"
)

// PutKey stores an API key for a tenant in the live table, as its SHA-256.
func PutKey(ctx context.Context, cfg aws.Config, liveTable, key, tenant string) error {
	_, err := dynamodb.NewFromConfig(cfg).PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &liveTable, Item: auth.Item(key, tenant, time.Now()),
	})
	return err
}

// KeyID is what the live table knows a key by: its SHA-256 in hex.
func KeyID(key string) string { return auth.ID(key) }

// RevokeKey refuses a key from now on. One that is not there stays unknown.
func RevokeKey(ctx context.Context, cfg aws.Config, liveTable, id string) error {
	_, err := dynamodb.NewFromConfig(cfg).UpdateItem(ctx, auth.Revocation(liveTable, id, time.Now()))
	var unknown *types.ConditionalCheckFailedException
	if errors.As(err, &unknown) {
		return nil
	}
	return err
}

// PutRetention says how long a tenant's sessions are kept: as a session's own retention is
// written, or "default" for the stack's. It holds for a session from its next operation on.
func PutRetention(ctx context.Context, cfg aws.Config, liveTable, of, retention string) error {
	item := tenant.Item(of, retention, time.Now())
	client := dynamodb.NewFromConfig(cfg)
	if retention == "default" {
		_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &liveTable, Key: map[string]types.AttributeValue{"pk": item["pk"], "sk": item["sk"]},
		})
		return err
	}
	if _, err := turn.ParseRetention(retention); err != nil {
		return fmt.Errorf("%w, or default for the stack's", err)
	}
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &liveTable, Item: item})
	return err
}
