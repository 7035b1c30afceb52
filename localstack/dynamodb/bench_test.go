package dynamodb_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
	"windlass/localstack/sigv4"
)

// spec is the table of these tests.
var spec = dynamodb.TableSpec{Name: "log", HashKey: dynamodb.KeyAttribute{Name: "pk", Kind: "S"}, SortKey: dynamodb.KeyAttribute{Name: "sk", Kind: "S"}, Stream: "NEW_AND_OLD_IMAGES"}

// open opens a service on a file of its own, with the table.
func open(t testing.TB, path string, opts dynamodb.Options) (*dynamodb.Service, *disk.DB) {
	t.Helper()
	db, err := disk.Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	service, err := dynamodb.Open(db, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := service.EnsureTable(spec); err != nil {
		t.Fatal(err)
	}
	return service, db
}

// client reaches the service in process, signed as in production.
func client(service *dynamodb.Service) *sdk.Client {
	secret := func(string) (string, bool) { return "secret", true }
	h := sigv4.Verify(secret, time.Now, service.Handler())
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIDLOCAL", SecretAccessKey: "secret"}, nil
	})
	return sdk.New(sdk.Options{Region: "us-east-1", BaseEndpoint: aws.String("http://localhost"), Credentials: provider, Retryer: aws.NopRetryer{},
		HTTPClient: &http.Client{Transport: awsjson.Transport(h)}})
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// commit is like one of the event log's: a few attributes and a JSON body.
func commit(pk string, seq, size int) item {
	line := `{"type":"model.completed","text":"a \"quoted\" word\n"},`
	return item{"pk": str(pk), "sk": str(fmt.Sprintf("%012d", seq)), "kind": str("commit"), "n": &types.AttributeValueMemberN{Value: "2"},
		"last": &types.AttributeValueMemberN{Value: fmt.Sprint(seq + 1)}, "id": str("01JDXYZABCDEFGHJKMNPQRSTVW"), "body": str(strings.Repeat(line, size/len(line)))}
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{2 << 10, 20 << 10, 300 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			service, _ := open(b, filepath.Join(b.TempDir(), "db"), dynamodb.Options{})
			c := client(service)
			seq := 0
			b.ReportAllocs()
			for b.Loop() {
				seq++
				_, err := c.PutItem(b.Context(), &sdk.PutItemInput{TableName: &spec.Name, Item: commit("t#s", seq, size), ConditionExpression: aws.String("attribute_not_exists(pk)"),
					ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTransactionOfThree(b *testing.B) {
	service, _ := open(b, filepath.Join(b.TempDir(), "db"), dynamodb.Options{})
	c := client(service)
	seq := 0
	b.ReportAllocs()
	for b.Loop() {
		seq++
		put := func(pk string, size int) types.TransactWriteItem {
			return types.TransactWriteItem{Put: &types.Put{TableName: &spec.Name, Item: commit(pk, seq, size), ConditionExpression: aws.String("attribute_not_exists(pk)"),
				ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}}
		}
		_, err := c.TransactWriteItems(b.Context(), &sdk.TransactWriteItemsInput{ClientRequestToken: aws.String(fmt.Sprint("token-", seq)),
			TransactItems: []types.TransactWriteItem{put("claim", 100), put("t#s", 2<<10), put("row", 300)}})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func fill(b *testing.B, c *sdk.Client, n int) {
	for seq := range n {
		if _, err := c.PutItem(b.Context(), &sdk.PutItemInput{TableName: &spec.Name, Item: commit("t#s", seq, 2<<10)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHeadQuery(b *testing.B) {
	service, _ := open(b, filepath.Join(b.TempDir(), "db"), dynamodb.Options{})
	c := client(service)
	fill(b, c, 1000)
	b.ReportAllocs()
	for b.Loop() {
		out, err := c.Query(b.Context(), &sdk.QueryInput{TableName: &spec.Name, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("t#s")},
			Limit: aws.Int32(1), ScanIndexForward: aws.Bool(false), ConsistentRead: aws.Bool(true)})
		if err != nil || len(out.Items) != 1 {
			b.Fatal(err, out)
		}
	}
}

func BenchmarkRead300Commits(b *testing.B) {
	service, _ := open(b, filepath.Join(b.TempDir(), "db"), dynamodb.Options{})
	c := client(service)
	fill(b, c, 300)
	b.ReportAllocs()
	for b.Loop() {
		out, err := c.Query(b.Context(), &sdk.QueryInput{TableName: &spec.Name, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("t#s")},
			ConsistentRead: aws.Bool(true)})
		if err != nil || len(out.Items) != 300 {
			b.Fatal(err, len(out.Items))
		}
	}
}
