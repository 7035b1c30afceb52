package harness

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
)

// Main serves the named function on Lambda.
func Main(name string) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)).With("function", name))
	cfg, err := config.LoadDefaultConfig(context.Background())
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
