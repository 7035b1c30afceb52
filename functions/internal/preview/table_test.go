package preview_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/functions/internal/preview"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
)

var (
	stream = eventstore.Stream{Tenant: "acme", Session: "s"}
	began  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// newTable is the live table in the embedded subset, in this process.
func newTable(t testing.TB) (*preview.Table, *sdk.Client) {
	t.Helper()
	db, err := disk.Open(filepath.Join(t.TempDir(), "windlass.db"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	service, err := dynamodb.Open(db, dynamodb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.New(sdk.Options{
		Region: "us-east-1", Retryer: aws.NopRetryer{}, BaseEndpoint: aws.String("http://dynamodb.embedded"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "secret"}, nil
		}),
		HTTPClient: &http.Client{Transport: awsjson.Transport(service.Handler())},
	})
	_, err = client.CreateTable(t.Context(), &sdk.CreateTableInput{
		TableName: aws.String("live"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &preview.Table{Client: client, Name: "live", Now: func() time.Time { return began }}, client
}

func row(operation string, round, attempt, run int, text string) preview.Row {
	return preview.Row{Step: preview.Step{Operation: operation, Round: round, Attempt: attempt, Run: run}, Text: preview.Piece{Text: text}}
}

// What is older in the same operation never takes the place of what is newer, however
// late it is; another operation always may.
func TestTheRowIsTheNewestRun(t *testing.T) {
	table, _ := newTable(t)
	for _, c := range []struct {
		put    preview.Row
		stored bool
	}{
		{row("a", 2, 1, 1, "abc"), true},
		{row("a", 2, 1, 1, "abc"), true}, // its answer was lost: sent again
		{row("a", 2, 1, 1, "ab"), false}, // and late
		{row("a", 2, 1, 1, "abcd"), true},
		{row("a", 1, 9, 9, "abcdefg"), false},
		{row("a", 2, 1, 2, "x"), true},
		{row("a", 2, 1, 1, "abcdefg"), false},
		{row("a", 2, 2, 1, ""), true},
		{row("a", 2, 1, 9, "abcdefg"), false},
		{row("a", 10, 1, 1, ""), true}, // by number, not by letters
		{row("a", 9, 1, 1, "x"), false},
		{row("b", 1, 1, 1, ""), true},
		{row("a", 10, 1, 1, "x"), true},
	} {
		before, _, err := table.Row(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := table.Put(t.Context(), stream, c.put)
		if err != nil || stored != c.stored {
			t.Fatalf("%+v over %+v: stored %t, %v; want %t", c.put, before, stored, err, c.stored)
		}
		want := c.put
		if !stored {
			want = before
		}
		got, found, err := table.Row(t.Context(), stream)
		if d := cmp.Diff(want, got); err != nil || !found || d != "" {
			t.Fatalf("%v; the row (-want +got):\n%s", err, d)
		}
	}
}

func TestTheLargestRowIsKeptWhole(t *testing.T) {
	table, client := newTable(t)
	want := preview.Row{
		Step: preview.Step{Operation: strings.Repeat("o", eventstore.MaxID), Round: 128, Attempt: 5, Run: 9},
		Text: preview.Piece{From: 7, Text: strings.Repeat("é", 64<<10)}, Reasoning: preview.Piece{From: 8, Text: strings.Repeat("\x00", 128<<10)},
	}
	if stored, err := table.Put(t.Context(), stream, want); err != nil || !stored {
		t.Fatalf("%t, %v", stored, err)
	}
	got, found, err := table.Row(t.Context(), stream)
	if d := cmp.Diff(want, got); err != nil || !found || d != "" {
		t.Errorf("%v, %t (-want +got):\n%.500s", err, found, d)
	}
	out, err := client.GetItem(t.Context(), &sdk.GetItemInput{TableName: aws.String("live"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "preview#acme#s"}, "sk": &types.AttributeValueMemberS{Value: "preview"}}})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := out.Item["expires"].(*types.AttributeValueMemberN); !ok || n.Value != "1767326645" { // an hour after it was written
		t.Errorf("it expires at %v", out.Item["expires"])
	}
}

func TestSessionsHaveTheirOwnRows(t *testing.T) {
	table, _ := newTable(t)
	if _, err := table.Put(t.Context(), stream, row("a", 1, 1, 1, "x")); err != nil {
		t.Fatal(err)
	}
	for _, other := range []eventstore.Stream{{Tenant: "beta", Session: "s"}, {Tenant: "acme", Session: "t"}} {
		if r, found, err := table.Row(t.Context(), other); found || err != nil {
			t.Errorf("%v has %+v, %v", other, r, err)
		}
	}
}

// down is a client of a table that answers nothing, and one whose rows are no rows.
type down struct {
	item map[string]types.AttributeValue
}

func (d down) GetItem(context.Context, *sdk.GetItemInput, ...func(*sdk.Options)) (*sdk.GetItemOutput, error) {
	if d.item != nil {
		return &sdk.GetItemOutput{Item: d.item}, nil
	}
	return nil, errors.New("no answer")
}

func (down) PutItem(context.Context, *sdk.PutItemInput, ...func(*sdk.Options)) (*sdk.PutItemOutput, error) {
	return nil, errors.New("no answer")
}

func TestAnOutageAndAStrangeRowAreErrors(t *testing.T) {
	table := &preview.Table{Client: down{}, Name: "live", Now: time.Now}
	if stored, err := table.Put(t.Context(), stream, row("a", 1, 1, 1, "x")); stored || err == nil {
		t.Errorf("a put without an answer: %t, %v", stored, err)
	}
	if _, found, err := table.Row(t.Context(), stream); found || err == nil {
		t.Errorf("a read without an answer: %t, %v", found, err)
	}
	table.Client = down{map[string]types.AttributeValue{"operation": &types.AttributeValueMemberS{Value: "a"}}}
	if _, found, err := table.Row(t.Context(), stream); found || err == nil || !strings.Contains(err.Error(), "attribute") {
		t.Errorf("a row without a text: %t, %v", found, err)
	}
}
