package execution_test

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/index"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
)

// kept are tokens in the embedded subset, in this process.
func kept(t *testing.T) *execution.Tokens {
	t.Helper()
	db, err := disk.Open(filepath.Join(t.TempDir(), "windlass.db"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	service, err := dynamodb.Open(db, dynamodb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.New(sdk.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://dynamodb.embedded"), HTTPClient: &http.Client{Transport: awsjson.Transport(service.Handler())},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	})
	key := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	_, err = client.CreateTable(t.Context(), &sdk.CreateTableInput{
		TableName: aws.String("live"), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{key("pk", types.KeyTypeHash), key("sk", types.KeyTypeRange)},
		AttributeDefinitions: []types.AttributeDefinition{text("pk"), text("sk")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &execution.Tokens{Client: client, Table: "live"}
}

func TestTheNewestTokenOfAnOperationIsKept(t *testing.T) {
	k := kept(t)
	park := func(operation string, generation int, entered string, retry int, token string) execution.Parking {
		return execution.Parking{Turn: execution.Turn{Tenant: "acme", Session: "s", Operation: operation, Generation: generation}, EnteredAt: entered, RetryCount: retry, Token: token}
	}
	const early, late = "2026-01-02T03:04:05.100Z", "2026-01-02T03:04:05.200Z"
	for _, p := range []execution.Parking{
		park("a", 1, late, 0, "1-late"), park("a", 1, early, 0, "1-early"), park("a", 1, late, 1, "1-late-again"), park("a", 2, early, 0, "2-early"), park("a", 1, late, 9, "old"), park("b", 1, early, 0, "b"),
	} {
		for range 2 {
			if err := k.Keep(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := k.Of(t.Context(), eventstore.Stream{Tenant: "acme", Session: "s"})
	if err != nil || len(all) != 2 || all[0].Token != "2-early" || all[0].Turn.Generation != 2 || all[1].Token != "b" {
		t.Fatalf("%+v, %v", all, err)
	}
	if other, err := k.Of(t.Context(), eventstore.Stream{Tenant: "acme", Session: "s2"}); err != nil || len(other) != 0 {
		t.Errorf("another session's: %+v, %v", other, err)
	}
	shard, err := k.All(t.Context(), index.Shard(eventstore.Stream{Tenant: "acme", Session: "s"}))
	if err != nil || len(shard) != 2 {
		t.Errorf("%+v, %v", shard, err)
	}
	stale := park("a", 1, late, 0, "1-late")
	for _, p := range []execution.Parking{stale, all[0], all[0], all[1]} {
		if err := k.Forget(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		left, err := k.Of(t.Context(), eventstore.Stream{Tenant: "acme", Session: "s"})
		if p.Token == "1-late" && len(left) != 2 || err != nil {
			t.Errorf("after forgetting %s: %+v, %v", p.Token, left, err)
		}
	}
	if left, err := k.Of(t.Context(), eventstore.Stream{Tenant: "acme", Session: "s"}); err != nil || len(left) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}
