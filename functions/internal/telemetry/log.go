package telemetry

import (
	"context"
	"io"
	"log/slog"
)

type attrsKey struct{}

// Keys of log lines.
const (
	TraceID   = "trace_id"
	Session   = "session"
	Operation = "operation"
	Round     = "round"
)

// With has what is logged with the context say what it is about.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	before, _ := ctx.Value(attrsKey{}).([]slog.Attr)
	return context.WithValue(ctx, attrsKey{}, append(before[:len(before):len(before)], attrs...))
}

// Handler adds to each line what its context is about, and lets metrics through
// whatever the level is.
type Handler struct{ slog.Handler }

// NewHandler logs JSON lines from a level on.
func NewHandler(w io.Writer, level slog.Leveler) Handler {
	return Handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: names})}
}

// names writes the level of metrics as what it is to a reader.
func names(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey && a.Value.Any() == Level {
		a.Value = slog.StringValue(slog.LevelInfo.String())
	}
	return a
}

// Enabled implements [slog.Handler].
func (h Handler) Enabled(ctx context.Context, l slog.Level) bool {
	return l == Level || h.Handler.Enabled(ctx, l)
}

// Handle implements [slog.Handler]. What a line says itself counts.
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	attrs, _ := ctx.Value(attrsKey{}).([]slog.Attr)
	if len(attrs) == 0 || r.Level == Level {
		return h.Handler.Handle(ctx, r)
	}
	said := map[string]bool{}
	r.Attrs(func(a slog.Attr) bool { said[a.Key] = true; return true })
	for _, a := range attrs {
		if !said[a.Key] {
			said[a.Key] = true
			r.AddAttrs(a)
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h Handler) WithGroup(name string) slog.Handler { return Handler{h.Handler.WithGroup(name)} }
