package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
)

// Bounds of a key, in bytes. A short one could be guessed.
const (
	minKey = 16
	maxKey = 256
)

// table is what Keys calls.
type table interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
}

// Keys looks API keys up in the live table. Each look is a consistent read: a
// revoked key is refused at once.
type Keys struct {
	Client table
	Table  string
	Now    func() time.Time
}

// A Caller is whoever sent a request with a key.
type Caller struct {
	// Tenant owns what the caller may see.
	Tenant string
	// Key is what the table knows the key by: see [ID].
	Key string
}

// Caller returns whose an Authorization header's bearer key is. Errors are
// unauthorized, the same for every way a key can be wrong, and unavailable.
func (k *Keys) Caller(ctx context.Context, authorization string) (Caller, error) {
	scheme, key, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") || len(key) < minKey || len(key) > maxKey {
		return Caller{}, refused()
	}
	id := ID(key)
	tenant, err := k.look(ctx, id)
	if err != nil {
		return Caller{}, err
	}
	return Caller{tenant, id}, nil
}

// Valid says, for somebody who came in by a key before, whether it still holds.
// Errors are those of Caller.
func (k *Keys) Valid(ctx context.Context, id string) error {
	_, err := k.look(ctx, id)
	return err
}

func (k *Keys) look(ctx context.Context, id string) (tenant string, err error) {
	out, err := k.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &k.Table, ConsistentRead: aws.Bool(true), Key: idKey(id),
	})
	if err != nil {
		return "", fmt.Errorf("auth: %w: %w", fault.New(fault.Unavailable, "the key could not be checked; send the same request again"), err)
	}
	name, ok := out.Item["tenant"].(*types.AttributeValueMemberS)
	if !ok || !eventstore.ValidID(name.Value) || k.revoked(out.Item["revokedAt"]) {
		return "", refused()
	}
	return name.Value, nil
}

// revoked: a time that cannot be read counts as past.
func (k *Keys) revoked(at types.AttributeValue) bool {
	if at == nil {
		return false
	}
	s, ok := at.(*types.AttributeValueMemberS)
	if !ok {
		return true
	}
	t, err := time.Parse(time.RFC3339Nano, s.Value)
	return err != nil || !t.After(k.Now())
}

func refused() error {
	return fault.New(fault.Unauthorized, "send a valid API key in the header Authorization: Bearer KEY")
}

// Item is the row of a key.
func Item(key, tenant string, now time.Time) map[string]types.AttributeValue {
	item := itemKey(key)
	item["kind"] = &types.AttributeValueMemberS{Value: "key"}
	item["tenant"] = &types.AttributeValueMemberS{Value: tenant}
	item["createdAt"] = &types.AttributeValueMemberS{Value: event.At(now).UTC().Format(event.TimeLayout)}
	return item
}

// Revocation marks the row of a key as revoked, if it has one.
func Revocation(liveTable, id string, now time.Time) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName: &liveTable, Key: idKey(id),
		UpdateExpression: aws.String("SET revokedAt = :now"), ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":now": &types.AttributeValueMemberS{Value: event.At(now).UTC().Format(event.TimeLayout)}},
	}
}

// ID is what the table knows a key by.
func ID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func itemKey(key string) map[string]types.AttributeValue { return idKey(ID(key)) }

func idKey(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "key#" + id},
		"sk": &types.AttributeValueMemberS{Value: "key"},
	}
}
