package connection_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
)

var (
	start = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	acme  = connection.Grant{Tenant: "acme", Key: "key-1"}
	demo  = connection.Subscription{Session: "demo"}
	op    = connection.Subscription{Session: "demo", Operation: "op-1"}
)

// world is the live table in the embedded subset, in this process. Its client
// never retries, so that every fault of the table is seen.
type world struct {
	*connection.Table
	client *sdk.Client
	// before is called before each call of the table, with the operation's name.
	before atomic.Pointer[func(operation string) *dynamodb.Fault]
	now    time.Time
}

func newWorld(t testing.TB) *world {
	db, err := disk.Open(filepath.Join(t.TempDir(), "windlass.db"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{now: start}
	service, err := dynamodb.Open(db, dynamodb.Options{Fault: func(operation, _ string) *dynamodb.Fault {
		if before := w.before.Load(); before != nil {
			return (*before)(operation)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.client = sdk.New(sdk.Options{
		Region: "us-east-1", Credentials: credentials(), Retryer: aws.NopRetryer{}, BaseEndpoint: aws.String("http://dynamodb.embedded"),
		HTTPClient: &http.Client{Transport: awsjson.Transport(service.Handler())},
	})
	w.Table = &connection.Table{Client: accuser{w.client, t}, Name: "live", Now: func() time.Time { return w.now }}
	makeTable(t, w.client)
	return w
}

// accuser fails the test at a read that may be old: the subset's never are.
type accuser struct {
	*sdk.Client
	t testing.TB
}

func (a accuser) GetItem(ctx context.Context, in *sdk.GetItemInput, o ...func(*sdk.Options)) (*sdk.GetItemOutput, error) {
	if !aws.ToBool(in.ConsistentRead) {
		a.t.Errorf("%v is read and may be old", in.Key)
	}
	return a.Client.GetItem(ctx, in, o...)
}

func (a accuser) Query(ctx context.Context, in *sdk.QueryInput, o ...func(*sdk.Options)) (*sdk.QueryOutput, error) {
	if !aws.ToBool(in.ConsistentRead) {
		a.t.Errorf("%v is read and may be old", in.ExpressionAttributeValues)
	}
	return a.Client.Query(ctx, in, o...)
}

func credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "secret"}, nil
	})
}

func makeTable(t testing.TB, client *sdk.Client) {
	_, err := client.CreateTable(t.Context(), &sdk.CreateTableInput{
		TableName: aws.String("live"), BillingMode: types.BillingModePayPerRequest,
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
}

// faulty has every call go through before, until the test says otherwise.
func (w *world) faulty(before func(operation string) *dynamodb.Fault) { w.before.Store(&before) }

func (w *world) healed() { w.before.Store(nil) }

// open is a connection of a grant.
func (w *world) open(t testing.TB, id string, g connection.Grant) connection.Connection {
	t.Helper()
	c := connection.Connection{ID: id, Grant: g, OpenedAt: w.now, ClosesAt: w.now.Add(110 * time.Minute)}
	try(t, w.Open(t.Context(), c))
	return c
}

// rows are the attributes of all rows of the table, as text, by "pk sk".
func (w *world) rows(t testing.TB) map[string]map[string]string {
	t.Helper()
	out, err := w.client.Scan(t.Context(), &sdk.ScanInput{TableName: aws.String("live")})
	if err != nil || len(out.LastEvaluatedKey) > 0 {
		t.Fatalf("%v; want all rows in one page", err)
	}
	rows := map[string]map[string]string{}
	for _, i := range out.Items {
		row := map[string]string{}
		for name, v := range i {
			switch v := v.(type) {
			case *types.AttributeValueMemberS:
				row[name] = v.Value
			case *types.AttributeValueMemberN:
				row[name] = "N " + v.Value
			}
		}
		rows[row["pk"]+" "+row["sk"]] = row
		delete(row, "pk")
		delete(row, "sk")
	}
	return rows
}

func (w *world) follows(t testing.TB, c connection.Connection, want ...connection.Subscription) {
	t.Helper()
	got, err := w.Subscriptions(t.Context(), c)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%s follows (-want +got):\n%s%v", c.ID, d, err)
	}
}

// followed checks who follows the session demo of a tenant.
func (w *world) followed(t testing.TB, tenant string, want ...connection.Subscriber) {
	t.Helper()
	got, err := w.Subscribers(t.Context(), eventstore.Stream{Tenant: tenant, Session: "demo"})
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("who follows demo of %s (-want +got):\n%s%v", tenant, d, err)
	}
}

func subscriber(c connection.Connection, operation string) connection.Subscriber {
	return connection.Subscriber{Connection: c.ID, Key: c.Key, Operation: operation, ClosesAt: c.ClosesAt}
}

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants checks a public code; none for no error.
func wants(t testing.TB, what string, err error, code fault.Code) {
	t.Helper()
	var public *fault.Error
	if code == "" && err != nil || code != "" && (!errors.As(err, &public) || public.Code != code) {
		t.Errorf("%s: %v, want %q", what, err, code)
	}
}
