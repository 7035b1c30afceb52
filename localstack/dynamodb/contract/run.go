package contract

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Exception names a case that an endpoint is known to fail, and why.
type Exception struct{ Case, Reason string }

// cases in the order in which they run.
var cases = []struct {
	name string
	run  func(*subject)
}{
	{"conditional put", conditionalPut},
	{"condition failure returns the old item", conditionFailureReturnsOld},
	{"return values", returnValues},
	{"types round-trip", typesRoundTrip},
	{"one winner per key", oneWinner},
	{"counters", counters},
	{"transaction limits", transactionLimits},
	{"transaction is atomic", transactionAtomic},
	{"transaction reasons in order", transactionReasons},
	{"transaction on one item twice", transactionOneItemTwice},
	{"transaction reads", transactionReads},
	{"token repeated", tokenRepeated},
	{"token with other parameters", tokenMismatch},
	{"query ranges", queryRanges},
	{"query pages", queryPages},
	{"query numeric order", queryNumericOrder},
	{"query filter, projection and count", queryShapes},
	{"scan pages", scanPages},
	{"batch get", batchGet},
	{"page of 1 MB", pageOfOneMegabyte},
	{"item of 400 KB", itemOf400K},
	{"transaction of 4 MB", transactionOf4M},
	{"keys", keyRules},
	{"expressions refused", expressionsRefused},
	{"fields refused", fieldsRefused},
	{"tables", tableRules},
	{"consumed capacity", consumedCapacity},
	{"stream records", streamRecords},
	{"stream resumes", streamResumes},
	{"stream of transactions", streamOfTransactions},
}

// Run runs every case against the endpoint of the client that open returns. The
// streams client is derived from it.
func Run(t *testing.T, open func(t *testing.T) *dynamodb.Client, except ...Exception) {
	reasons := map[string]string{}
	for _, e := range except {
		reasons[e.Case] = e.Reason
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if reason, out := reasons[c.name]; out {
				t.Skipf("OUT: %s: %s", c.name, reason)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			c.run(&subject{T: t, ctx: ctx, client: open(t)})
		})
	}
}

// subject is one case's view of the endpoint, with a table of its own.
type subject struct {
	*testing.T
	ctx    context.Context
	client *dynamodb.Client
	name   string
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

// key is the primary key of the tables that most cases use.
func key(pk, sk string) item { return item{"pk": str(pk), "sk": str(sk)} }

// with returns a copy of the item with one more attribute.
func with(it item, name string, v types.AttributeValue) item {
	out := item{name: v}
	for n, v := range it {
		if n != name {
			out[n] = v
		}
	}
	return out
}

// table creates a table with a hash key pk (S) and, unless it is "", a sort key
// sk of the type, and a stream of both images.
func (s *subject) table(sortType types.ScalarAttributeType) string {
	s.Helper()
	s.name = "contract-" + rand.Text()
	in := &dynamodb.CreateTableInput{
		TableName: &s.name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		StreamSpecification:  &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}
	if sortType != "" {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String("sk"), AttributeType: sortType})
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange})
	}
	_, err := s.client.CreateTable(s.ctx, in)
	s.ok(err)
	s.Cleanup(func() {
		_, _ = s.client.DeleteTable(context.WithoutCancel(s.ctx), &dynamodb.DeleteTableInput{TableName: in.TableName})
	})
	waiter := dynamodb.NewTableExistsWaiter(s.client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 100 * time.Millisecond })
	s.ok(waiter.Wait(s.ctx, &dynamodb.DescribeTableInput{TableName: &s.name}, time.Minute))
	return s.name
}

func (s *subject) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// refused demands an error with the code.
func (s *subject) refused(err error, code string) {
	s.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != code {
		s.Errorf("got %v, want %s", err, code)
	}
}

func (s *subject) put(it item) {
	s.Helper()
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: it})
	s.ok(err)
}

func (s *subject) get(k item) item {
	s.Helper()
	out, err := s.client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: &s.name, Key: k, ConsistentRead: aws.Bool(true)})
	s.ok(err)
	return out.Item
}
