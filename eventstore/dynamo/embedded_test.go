package dynamo_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/eventstore/dynamo"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
)

// The embedded subset is where most people run the log, so the driver is tested
// against it here, beside the driver: package eventstore and its drivers never
// import localstack, an external test may.
func TestDriverKeepsTheContractEmbedded(t *testing.T) {
	client := embedded(t)
	keepsTheContract(t, dynamo.New(client, makeTable(t, client)))
}

func BenchmarkEmbedded(b *testing.B) {
	client := embedded(b)
	benchmark(b, dynamo.New(client, makeTable(b, client)))
}

// embedded is the subset in this process, reached without a socket.
func embedded(t testing.TB) *sdk.Client {
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
	cfg := configured()
	cfg.HTTPClient = &http.Client{Transport: awsjson.Transport(service.Handler())}
	return sdk.NewFromConfig(cfg, dynamo.Options, func(o *sdk.Options) { o.BaseEndpoint = aws.String("http://dynamodb.embedded") })
}
