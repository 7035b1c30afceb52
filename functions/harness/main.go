package harness

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"

	"windlass/functions/internal/fanout"
	"windlass/functions/internal/telemetry"
)

// Main serves the function on Lambda.
func Main(f Function) {
	var level slog.Level
	bad := level.UnmarshalText([]byte(cmp.Or(os.Getenv("WINDLASS_LOG_LEVEL"), "INFO")))
	slog.SetDefault(slog.New(telemetry.NewHandler(os.Stderr, level)).With("function", f.Name))
	if bad != nil {
		fail(fmt.Errorf("WINDLASS_LOG_LEVEL: %w; it is DEBUG, INFO, WARN or ERROR", bad))
	}
	cfg, err := config.LoadDefaultConfig(context.Background(), config.WithHTTPClient(client()))
	if err != nil {
		fail(err)
	}
	h, err := f.Handler(os.Getenv, cfg)
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

// Logs has lines say what they are about, wherever they are logged to.
func Logs(next slog.Handler) slog.Handler { return telemetry.Handler{Handler: next} }
