package harness

import (
	"context"

	"windlass/functions/internal/secret"
)

// collectorHeaders are where a collector's headers are kept, if not in their variable.
func (b builder) collectorHeaders() (func(context.Context) (string, error), error) {
	ref, err := secret.Elsewhere(b.env, "OTEL_EXPORTER_OTLP_HEADERS")
	if ref == nil || err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) { return b.secrets.Get(ctx, *ref) }, nil
}
