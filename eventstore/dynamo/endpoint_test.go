package dynamo_test

import (
	"cmp"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
	"windlass/eventstore/dynamo"
	"windlass/eventstore/storetest"
)

// endpointVariable names a DynamoDB to test against: an emulator's URL, or AWS's
// own. Its account must allow tables to be made and deleted.
const endpointVariable = "WINDLASS_TEST_DYNAMODB_ENDPOINT"

func TestDriverKeepsTheContractAtTheEndpoint(t *testing.T) {
	client := endpoint(t)
	table := makeTable(t, client)
	keepsTheContract(t, dynamo.New(client, table))
}

// keepsTheContract is the drivers' suite and what DynamoDB alone decides.
func keepsTheContract(t *testing.T, d eventstore.Driver) {
	storetest.Run(t, func(*testing.T) eventstore.Driver { return d })
	t.Run("an oversize item is too large", func(t *testing.T) {
		s := stream()
		w := eventstore.Write{Record: record(s, 1, []byte(`["`+strings.Repeat("x", 410_000)+`"]`))}
		for range 2 {
			if err := d.Append(t.Context(), w); err == nil || eventstore.CodeOf(err) != eventstore.TooLarge {
				t.Errorf("with claim %v: %v, want %s", w.Claim != nil, err, eventstore.TooLarge)
			}
			w.Claim = &eventstore.Claim{Key: "k", First: 1}
		}
	})
}

func BenchmarkEndpoint(b *testing.B) {
	client := endpoint(b)
	benchmark(b, dynamo.New(client, makeTable(b, client)))
}

// endpoint skips only where nobody promised one; an endpoint that does not
// answer fails.
func endpoint(t testing.TB) *dynamodb.Client {
	url := os.Getenv(endpointVariable)
	if url == "" {
		t.Skip(endpointVariable + " is not set")
	}
	return dynamodb.NewFromConfig(configured(), dynamo.Options, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(url) })
}

func configured() aws.Config {
	return aws.Config{
		Region: cmp.Or(os.Getenv("AWS_REGION"), "us-east-1"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), "test"), SecretAccessKey: cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), "test"),
				SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
			}, nil
		}),
	}
}

// makeTable makes the log's table as template.yaml has it, for one test.
func makeTable(t testing.TB, client *dynamodb.Client) string {
	name := aws.String("windlass-storetest-" + ulid.Make().String())
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: name}); err != nil {
			t.Error(err)
		}
	})
	exists := dynamodb.NewTableExistsWaiter(client)
	if err := exists.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: name}, 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	return *name
}
