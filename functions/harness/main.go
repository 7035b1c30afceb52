package harness

import (
	"context"
	"log/slog"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"

	"windlass/functions/internal/fanout"
)

// Main serves the named function on Lambda.
func Main(name string) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)).With("function", name))
	cfg, err := config.LoadDefaultConfig(context.Background(), config.WithHTTPClient(client()))
	if err != nil {
		fail(err)
	}
	h, err := Function(name, os.Getenv, cfg)
	if err != nil {
		fail(err)
	}
	lambda.Start(h)
}

func fail(err error) {
	slog.Error("the function cannot start", "error", err)
	os.Exit(1)
}

// client keeps a connection for each post that may be under way; the SDK's own
// keeps ten a host, and would dial anew for the others every time.
func client() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConnsPerHost = fanout.MaxPosts
	})
}
