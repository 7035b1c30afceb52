package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/functions/internal/index"
)

// table is what Tokens calls.
type table interface {
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Tokens keeps the tokens of parked turns in the live table: one an operation, the
// newest, in the partitions that recover looks through.
type Tokens struct {
	Client table
	Table  string
}

// Keep stores a token, unless a newer one of the same operation stands there. Again
// is as once.
func (t *Tokens) Keep(ctx context.Context, p Parking) error {
	b, err := json.Marshal(p.Turn)
	if err != nil {
		return err
	}
	item := tokenKey(p.Turn)
	item["kind"], item["turn"], item["token"], item["order"] = str("token"), str(string(b)), str(p.Token), str(p.order())
	item["seq"] = &types.AttributeValueMemberN{Value: strconv.FormatUint(p.Seq, 10)}
	_, err = t.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.Table, Item: item,
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR #order <= :order"),
		ExpressionAttributeNames:  map[string]string{"#order": "order"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":order": item["order"]},
	})
	var newer *types.ConditionalCheckFailedException
	if errors.As(err, &newer) {
		return nil
	}
	return failure("keep", err)
}

// Of lists a session's tokens.
func (t *Tokens) Of(ctx context.Context, s eventstore.Stream) ([]Parking, error) {
	return t.query(ctx, index.Shard(s), sessionPrefix(s))
}

// All lists the tokens of a shard of sessions.
func (t *Tokens) All(ctx context.Context, shard int) ([]Parking, error) {
	return t.query(ctx, shard, "")
}

// Forget removes a token that was answered, unless a newer one stands there.
func (t *Tokens) Forget(ctx context.Context, p Parking) error {
	_, err := t.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.Table, Key: tokenKey(p.Turn),
		ConditionExpression:       aws.String("#token = :token"),
		ExpressionAttributeNames:  map[string]string{"#token": "token"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":token": str(p.Token)},
	})
	var other *types.ConditionalCheckFailedException
	if errors.As(err, &other) {
		return nil
	}
	return failure("forget", err)
}

func (t *Tokens) query(ctx context.Context, shard int, prefix string) (all []Parking, err error) {
	in := &dynamodb.QueryInput{
		TableName: &t.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": str(tokenPartition(shard))},
	}
	if prefix != "" {
		in.KeyConditionExpression = aws.String("pk = :pk AND begins_with(sk, :prefix)")
		in.ExpressionAttributeValues[":prefix"] = str(prefix)
	}
	for {
		out, err := t.Client.Query(ctx, in)
		if err != nil {
			return nil, failure("list", err)
		}
		for _, item := range out.Items {
			p := Parking{Token: value(item["token"])}
			if err := json.Unmarshal([]byte(value(item["turn"])), &p.Turn); err != nil {
				return nil, failure("read", err)
			}
			if n, ok := item["seq"].(*types.AttributeValueMemberN); ok {
				p.Seq, _ = strconv.ParseUint(n.Value, 10, 64) // 0 is no seq of any log
			}
			all = append(all, p)
		}
		if len(out.LastEvaluatedKey) == 0 {
			return all, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func tokenKey(t Turn) map[string]types.AttributeValue {
	s := eventstore.Stream{Tenant: t.Tenant, Session: t.Session}
	return map[string]types.AttributeValue{"pk": str(tokenPartition(index.Shard(s))), "sk": str(sessionPrefix(s) + t.Operation)}
}

func tokenPartition(shard int) string { return fmt.Sprintf("tokens#%02d", shard) }

func sessionPrefix(s eventstore.Stream) string { return s.Tenant + "#" + s.Session + "#" }

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func value(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

func failure(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("execution: %s a token: %w", what, err)
}
