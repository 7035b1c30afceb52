package harness

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"windlass/functions/internal/callback"
)

// callbacks makes the URLs by which calls are reported that end later, and reads them.
func (b builder) callbacks() (*callback.URLs, error) {
	table, err := b.env.Required("WINDLASS_LIVE_TABLE")
	if err != nil {
		return nil, err
	}
	return &callback.URLs{Client: dynamodb.NewFromConfig(b.cfg), Table: table, API: b.env("WINDLASS_API_URL")}, nil
}
