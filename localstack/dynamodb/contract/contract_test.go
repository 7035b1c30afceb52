package contract

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	local "windlass/localstack/dynamodb"
	"windlass/localstack/sigv4"
)

const (
	accessKey = "AKIDLOCAL"
	secretKey = "local-secret"
)

// credentials are those that our own endpoints accept.
var credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
})

// serve opens the file and serves both APIs, signed, over a loopback socket.
func serve(t *testing.T, path string, opts local.Options) (endpoint string) {
	t.Helper()
	db, err := disk.Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	service, err := local.Open(db, opts)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler(service))
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

func handler(service *local.Service) http.Handler {
	tables, streams := service.Handler(), service.StreamsHandler()
	both := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDBStreams_") {
			streams.ServeHTTP(w, r)
			return
		}
		tables.ServeHTTP(w, r)
	})
	secret := func(key string) (string, bool) { return secretKey, key == accessKey }
	return sigv4.Verify(secret, time.Now, both)
}

// connect returns a client that does not retry: the suite sees every answer.
func connect(endpoint string) *dynamodb.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	return dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: credentials, Retryer: aws.NopRetryer{},
		HTTPClient: &http.Client{Transport: awsjson.PlainBodies(transport)}})
}

// inProcess returns a client without a socket in between.
func inProcess(service *local.Service) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: aws.String("http://localhost"), Credentials: credentials, Retryer: aws.NopRetryer{},
		HTTPClient: &http.Client{Transport: awsjson.Transport(handler(service))}})
}

func TestOurOwnService(t *testing.T) {
	endpoint := serve(t, filepath.Join(t.TempDir(), "db"), local.Options{})
	client := connect(endpoint)
	Run(t, func(*testing.T) *dynamodb.Client { return client })
}

func TestAnotherEndpoint(t *testing.T) {
	endpoint := os.Getenv("WINDLASS_TEST_DYNAMODB_ENDPOINT")
	if endpoint == "" {
		t.Skip("OUT: every case against a second endpoint: WINDLASS_TEST_DYNAMODB_ENDPOINT is not set")
	}
	client := connect(endpoint)
	Run(t, func(*testing.T) *dynamodb.Client { return client }, exceptions(os.Getenv("WINDLASS_TEST_DYNAMODB_IS"))...)
}
