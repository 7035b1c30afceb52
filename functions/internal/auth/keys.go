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
	// Tokens are let in beside keys; nil for none. An issuer that is out of reach
	// is of no matter to keys.
	Tokens *Tokens
}

// A Caller is whoever sent a request with a key or a token.
type Caller struct {
	// Tenant owns what the caller may see.
	Tenant string
	// Key is what the table knows the key by: see [ID]. Of a token it is the issuer and
	// the subject, "https://id.example.com#alice": the same for each of their tokens.
	Key string
	// Until is when the token ends, at most a day from now; zero for a key, which
	// ends when it is revoked.
	Until time.Time
}

// shownKey is how much of a key's id stands in the log: enough to tell keys apart.
const shownKey = 12

// Name is who did something, as the log says it: the beginning of a key's id, or all of
// a subject's.
func (c Caller) Name() string {
	if strings.Contains(c.Key, between) {
		return c.Key
	}
	return c.Key[:min(len(c.Key), shownKey)]
}

// Caller returns whose an Authorization header's bearer key or token is. Errors are
// unauthorized, the same for every way it can be wrong, and unavailable.
func (k *Keys) Caller(ctx context.Context, authorization string) (Caller, error) {
	scheme, key, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return Caller{}, refused()
	}
	if k.Tokens != nil && isToken(key) {
		return k.Tokens.caller(ctx, key)
	}
	if len(key) < minKey || len(key) > maxKey {
		return Caller{}, refused()
	}
	id := ID(key)
	tenant, err := k.look(ctx, id)
	if err != nil {
		return Caller{}, err
	}
	return Caller{Tenant: tenant, Key: id}, nil
}

// Valid says, for somebody who came in before, whether the key still holds, or whether
// tokens of that issuer are still let in: a token itself is not looked at again, so
// whoever asks must end at [Caller].Until. Errors are those of Caller.
func (k *Keys) Valid(ctx context.Context, id string) error {
	if strings.Contains(id, between) {
		if !k.Tokens.holds(id) {
			return refused()
		}
		return nil
	}
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
	return fault.New(fault.Unauthorized, "send a valid API key, or a valid token if this deployment takes them, in the header Authorization: Bearer KEY")
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
