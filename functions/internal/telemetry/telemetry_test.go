package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/telemetry"
)

var stream = eventstore.Stream{Tenant: "t", Session: "s"}

// logged are the lines that do logs, from a level on.
func logged(t *testing.T, level slog.Level, do func()) (lines []map[string]any) {
	t.Helper()
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(telemetry.NewHandler(&b, level)).With("function", "drive"))
	do()
	slog.SetDefault(before)
	for line := range strings.Lines(b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, m)
	}
	return lines
}

// values are the metrics of a line, as CloudWatch reads them.
func values(t *testing.T, line map[string]any) map[string]any {
	t.Helper()
	b, _ := json.Marshal(line["_aws"])
	var m struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	}
	if err := json.Unmarshal(b, &m); err != nil || m.Timestamp != 1_700_000_000_000 || len(m.CloudWatchMetrics) != 1 {
		t.Fatalf("%v: %s", err, b)
	}
	d := m.CloudWatchMetrics[0]
	if d.Namespace != "Windlass" || cmp.Diff([][]string{{"Service"}}, d.Dimensions) != "" || line["Service"] != "acme-prod" {
		t.Errorf("%+v of %v", d, line["Service"])
	}
	all := map[string]any{}
	for _, x := range d.Metrics {
		all[x.Name+" "+x.Unit] = line[x.Name]
	}
	return all
}

func metrics() *telemetry.Metrics {
	return &telemetry.Metrics{Service: "acme-prod", Now: func() time.Time { return time.UnixMilli(1_700_000_000_000) }}
}

func commit(payloads ...event.Payload) eventstore.Appended {
	a := eventstore.Appended{Took: 4 * time.Millisecond, Commit: eventstore.Commit{Record: eventstore.Record{Stream: stream}}}
	for i, p := range payloads {
		a.Commit.Events = append(a.Commit.Events, event.Event{At: event.At(time.Unix(int64(i), 0)), Operation: "op", Round: 1, Data: p})
	}
	return a
}

// Metrics are a fold of what was appended, in one line of the embedded metric format.
func TestMetricsFollowFromWhatWasAppended(t *testing.T) {
	m := metrics()
	o := telemetry.NewObserver(m)
	lines := logged(t, slog.LevelError, func() {
		m.Flush(t.Context()) // nothing is no line
		o.Appended(t.Context(), commit(event.OperationAccepted{Prompt: event.Text("a secret prompt")}, event.OperationStarted{}, event.ModelStarted{}))
		o.Appended(t.Context(), commit(event.OperationResumed{}, event.ModelFailed{Usage: &event.Tokens{InputTokens: 5}, CostUSD: "0.5"}, event.ModelStarted{}))
		o.Appended(t.Context(), commit(event.ModelStarted{}, event.MessageSteered{}, event.ModelCompleted{Usage: event.Tokens{InputTokens: 10, OutputTokens: 2, CachedTokens: 4}, CostUSD: "unknown"},
			event.ToolStarted{}, event.ToolFailed{}, event.ToolUnknown{}, event.ApprovalRequested{}, event.OperationCompleted{}, event.OperationFailed{}, event.OperationCancelled{}))
		o.Appended(t.Context(), eventstore.Appended{Err: fmt.Errorf("x: %w", &eventstore.Conflict{})})
		o.Appended(t.Context(), eventstore.Appended{Err: eventstore.Errorf(eventstore.Unavailable, "append", "away")})
		o.Appended(t.Context(), eventstore.Appended{Err: eventstore.Errorf(eventstore.TooLarge, "append", "the caller's")})
		m.Flush(t.Context())
	})
	if len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["function"] != "drive" {
		t.Fatalf("%v", lines)
	}
	want := map[string]any{
		"OperationsAccepted Count": 1.0, "OperationsCompleted Count": 1.0, "OperationsFailed Count": 1.0, "OperationsCancelled Count": 1.0, "Recoveries Count": 1.0,
		"ModelCalls Count": 3.0, "ModelFailures Count": 1.0, "ToolCalls Count": 1.0, "ToolFailures Count": 1.0, "UnknownOutcomes Count": 1.0, "ApprovalsRequested Count": 1.0,
		"InputTokens Count": 15.0, "OutputTokens Count": 2.0, "CachedTokens Count": 4.0, "CostUSD None": 0.5, "AppendConflicts Count": 1.0, "AppendFailures Count": 1.0,
		"AppendLatency Milliseconds": []any{4.0, 4.0, 4.0}, "ModelLatency Milliseconds": []any{-1000.0, 2000.0},
	}
	if d := cmp.Diff(want, values(t, lines[0])); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The format takes a hundred values of a metric a line.
func TestManyValuesAreManyLines(t *testing.T) {
	m := metrics()
	lines := logged(t, slog.LevelInfo, func() {
		for i := range 250 {
			m.Took("AppendLatency", time.Duration(i)*time.Millisecond)
		}
		m.Add("ModelCalls", telemetry.Count, 1)
		m.Flush(t.Context())
		m.Flush(t.Context())
	})
	var n []int
	for _, l := range lines {
		some, _ := values(t, l)["AppendLatency Milliseconds"].([]any)
		n = append(n, len(some))
	}
	if cmp.Diff([]int{100, 100, 50}, n) != "" {
		t.Errorf("%v", n)
	}
	(*telemetry.Metrics)(nil).Took("x", 1)
	(*telemetry.Metrics)(nil).Flush(t.Context())
}

func TestALineSaysWhatItIsAbout(t *testing.T) {
	ctx := telemetry.With(t.Context(), slog.String("session", "s"))
	deeper := telemetry.With(ctx, slog.String("operation", "op"))
	other := telemetry.With(ctx, slog.String("operation", "other"))
	lines := logged(t, slog.LevelWarn, func() {
		slog.InfoContext(deeper, "not at this level")
		slog.WarnContext(deeper, "w")
		slog.WarnContext(other, "w", "session", "of the line's own")
		slog.With("operation", "x").WarnContext(context.Background(), "w")
	})
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l["session"], " ", l["operation"]))
	}
	if d := cmp.Diff([]string{"s op", "of the line's own other", "<nil> x"}, got); d != "" {
		t.Error(d)
	}
}
