package contract

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	local "windlass/localstack/dynamodb"
)

// faulty serves a table and misbehaves as *next says.
func faulty(t *testing.T, next *local.Fault) *subject {
	t.Helper()
	armed := make(chan *local.Fault, 1)
	endpoint := serve(t, filepath.Join(t.TempDir(), "db"), local.Options{Fault: func(op, table string) *local.Fault {
		if !strings.HasPrefix(table, "contract-") || op == "GetItem" {
			return nil
		}
		select {
		case f := <-armed:
			return f
		default:
			return nil
		}
	}})
	s := &subject{T: t, ctx: t.Context(), client: connect(endpoint)}
	s.table(types.ScalarAttributeTypeS)
	armed <- next
	return s
}

func TestInjectedThrottleDoesNothing(t *testing.T) {
	s := faulty(t, &local.Fault{Error: local.Throttled})
	in := &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1"), ConditionExpression: notExists}
	_, err := s.client.PutItem(s.ctx, in)
	s.refused(err, "ProvisionedThroughputExceededException")
	_, err = s.client.PutItem(s.ctx, in)
	s.ok(err)
}

func TestInjectedConflictDoesNothing(t *testing.T) {
	s := faulty(t, &local.Fault{Error: local.Conflict})
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1")})
	s.refused(err, "TransactionConflictException")
	if s.get(key("p", "1")) != nil {
		t.Error("the item is stored")
	}
}

func TestInjectedReasonsKeepTheirOrder(t *testing.T) {
	want := []string{"ThrottlingError", "None", "TransactionConflict", "ConditionalCheckFailed"}
	s := faulty(t, &local.Fault{Reasons: want})
	err := s.transact(s.putAction(key("p", "1"), nil), s.putAction(key("p", "2"), nil))
	var failed *types.TransactionCanceledException
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, r := range failed.CancellationReasons {
		got = append(got, aws.ToString(r.Code))
	}
	if !slices.Equal(got, want) {
		t.Errorf("reasons %v, want %v", got, want)
	}
	if s.count() != 0 {
		t.Error("something is stored")
	}
}

func TestLostAnswersAreStored(t *testing.T) {
	for name, fault := range map[string]*local.Fault{
		"connection closed": {AnswerLost: true},
		"server error":      {AnswerLost: true, Error: local.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			s := faulty(t, fault)
			in := &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1"), ConditionExpression: notExists}
			if _, err := s.client.PutItem(s.ctx, in); err == nil {
				t.Fatal("the answer arrived")
			}
			if s.get(key("p", "1")) == nil {
				t.Error("the item is not stored")
			}
			_, err := s.client.PutItem(s.ctx, in)
			s.refused(err, conditionFailed)
		})
	}
}

// TestLostAnswerMeetsTheSDKsRetry: with the SDK's own retries a lost answer
// looks like a lost race.
func TestLostAnswerMeetsTheSDKsRetry(t *testing.T) {
	s := faulty(t, &local.Fault{AnswerLost: true})
	retrying := dynamodb.New(s.client.Options(), func(o *dynamodb.Options) { o.Retryer = retry.NewStandard() })
	_, err := retrying.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1"), ConditionExpression: notExists})
	s.refused(err, conditionFailed)
}

func TestInjectedDelayEndsWithTheContext(t *testing.T) {
	s := faulty(t, &local.Fault{Delay: time.Hour})
	ctx, cancel := context.WithTimeout(s.ctx, 50*time.Millisecond)
	defer cancel()
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1")})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if s.get(key("p", "1")) != nil {
		t.Error("the item is stored")
	}
}
