package cloudwatch

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// Handler takes lines of the embedded metric format out of a log, as CloudWatch Logs
// does, and passes the others on.
type Handler struct {
	slog.Handler
	Metrics *Metrics
}

// metadata is the format's own object, in the member _aws.
type metadata struct {
	Timestamp         int64
	CloudWatchMetrics []struct {
		Namespace  string
		Dimensions [][]string
		Metrics    []struct{ Name, Unit string }
	}
}

// Enabled implements [slog.Handler]: any line but one for debugging may have metrics.
func (h Handler) Enabled(ctx context.Context, l slog.Level) bool {
	return l > slog.LevelDebug || h.Handler.Enabled(ctx, l)
}

// Handle implements [slog.Handler].
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	var its any
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "_aws" {
			its = a.Value.Any()
		}
		return its == nil
	})
	if its == nil {
		if !h.Handler.Enabled(ctx, r.Level) {
			return nil
		}
		return h.Handler.Handle(ctx, r)
	}
	b, err := json.Marshal(its)
	var m metadata
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err == nil {
		members := map[string]any{}
		r.Attrs(func(a slog.Attr) bool {
			members[a.Key] = a.Value.Any()
			return true
		})
		h.Metrics.take(m, members)
	}
	return err
}

// WithAttrs implements [slog.Handler].
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.Handler.WithAttrs(attrs), h.Metrics}
}

// WithGroup implements [slog.Handler].
func (h Handler) WithGroup(name string) slog.Handler {
	return Handler{h.Handler.WithGroup(name), h.Metrics}
}

func (m *Metrics) take(its metadata, members map[string]any) {
	at := time.UnixMilli(its.Timestamp)
	for _, d := range its.CloudWatchMetrics {
		for _, names := range d.Dimensions {
			dimensions := map[string]string{}
			for _, name := range names {
				dimensions[name], _ = members[name].(string)
			}
			for _, one := range d.Metrics {
				m.Put(Metric{d.Namespace, one.Name, dimensions}, at, numbers(members[one.Name])...)
			}
		}
	}
}

func numbers(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []float64:
		return v
	}
	return nil
}
