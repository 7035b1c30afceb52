package s3blob_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/eventstore"
	"windlass/eventstore/s3blob"
	"windlass/eventstore/storetest"
	"windlass/localstack/s3"
	"windlass/localstack/sigv4"
)

const bucket = "blobs"

// The embedded subset, over a socket and with signatures, is where most people
// keep blobs; an external test may import it, the driver may not.
func TestDriverKeepsTheContractEmbedded(t *testing.T) {
	service, err := s3.Open(t.TempDir(), s3.Options{Region: "us-east-1", Account: "000000000000"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	if err := service.EnsureBucket(s3.BucketSpec{Name: bucket}); err != nil {
		t.Fatal(err)
	}
	secret := func(key string) (string, bool) { return "secret", key == "key" }
	server := httptest.NewServer(sigv4.Verify(secret, time.Now, service.Handler()))
	t.Cleanup(server.Close)
	cfg := aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL), HTTPClient: http.DefaultClient,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}, nil
		}),
	}
	storetest.RunBlobs(t, func(*testing.T) eventstore.Blobs {
		return s3blob.New(sdk.NewFromConfig(cfg, s3blob.Options), bucket)
	})
}

// Any other S3, by its endpoint or, if that is "aws", AWS itself: the bucket that
// WINDLASS_TEST_S3_BUCKET names must exist.
func TestDriverKeepsTheContractElsewhere(t *testing.T) {
	endpoint, name := os.Getenv("WINDLASS_TEST_S3_ENDPOINT"), os.Getenv("WINDLASS_TEST_S3_BUCKET")
	if endpoint == "" || name == "" {
		t.Skip("WINDLASS_TEST_S3_ENDPOINT and WINDLASS_TEST_S3_BUCKET name no other S3")
	}
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if endpoint != "aws" {
		cfg.BaseEndpoint = &endpoint
	}
	storetest.RunBlobs(t, func(*testing.T) eventstore.Blobs {
		return s3blob.New(sdk.NewFromConfig(cfg, s3blob.Options), name)
	})
}
