package contract

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/localstack/awsjson"
	local "windlass/localstack/s3"
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

func handler(service *local.Service) http.Handler {
	secret := func(key string) (string, bool) { return secretKey, key == accessKey }
	return service.CORS(sigv4.Verify(secret, time.Now, service.Handler()))
}

func open(t *testing.T, dir string) *local.Service {
	t.Helper()
	service, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	return service
}

// connect returns a client that does not retry: the suite sees every answer.
// The SDK's checksums are off unless a case asks for one.
func connect(endpoint string, transport http.RoundTripper) *s3.Client {
	return s3.New(s3.Options{Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: credentials, Retryer: aws.NopRetryer{}, UsePathStyle: true,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired, ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
		HTTPClient: &http.Client{Transport: transport}})
}

func socket() http.RoundTripper {
	return awsjson.PlainBodies(&http.Transport{MaxIdleConnsPerHost: 32, ExpectContinueTimeout: time.Second})
}

func TestOurOwnService(t *testing.T) {
	server := httptest.NewServer(handler(open(t, t.TempDir())))
	t.Cleanup(server.Close)
	client := connect(server.URL, socket())
	Run(t, func(*testing.T) *s3.Client { return client })
}

// TestDefaultClient runs the cases as a client from LoadDefaultConfig would, with
// checksums on everything both ways.
func TestDefaultClient(t *testing.T) {
	server := httptest.NewServer(handler(open(t, t.TempDir())))
	t.Cleanup(server.Close)
	o := connect(server.URL, socket()).Options()
	o.RequestChecksumCalculation, o.ResponseChecksumValidation = aws.RequestChecksumCalculationWhenSupported, aws.ResponseChecksumValidationWhenSupported
	client := s3.New(o)
	Run(t, func(*testing.T) *s3.Client { return client }, Exception{"checksums default", "the client sends a checksum, so the server has none to choose"})
}

func TestInProcess(t *testing.T) {
	service := open(t, t.TempDir())
	server := httptest.NewServer(handler(service)) // for presigned URLs
	t.Cleanup(server.Close)
	client := connect(server.URL, awsjson.Transport(handler(service)))
	Run(t, func(*testing.T) *s3.Client { return client })
}

func TestAnotherEndpoint(t *testing.T) {
	endpoint := os.Getenv("WINDLASS_TEST_S3_ENDPOINT")
	if endpoint == "" {
		t.Skip("OUT: every case against a second endpoint: WINDLASS_TEST_S3_ENDPOINT is not set")
	}
	client := connect(endpoint, socket())
	Run(t, func(*testing.T) *s3.Client { return client }, exceptions(os.Getenv("WINDLASS_TEST_S3_IS"))...)
}
