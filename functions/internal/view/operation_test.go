package view_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

var (
	accepted = event.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	started  = event.At(accepted.Add(time.Second))
	settled  = event.At(accepted.Add(time.Minute))
)

func queued() index.Operation {
	return index.Operation{ID: "a", Agent: "demo", Status: index.Queued, Prompt: "p", PromptBytes: 1, FirstSeq: 2, LastSeq: 2, AcceptedAt: accepted}
}

func head(operation string) *turn.HeadSummary {
	return &turn.HeadSummary{Operation: operation, FirstSeq: 2, LastSeq: 9, Generation: 1, StartedAt: &started, Round: 3, Usage: event.Usage{ModelCalls: 4}}
}

func TestSnapshotOfAnOperationIsTheNewestThatIsKnown(t *testing.T) {
	base := view.Operation{OperationID: "a", SessionID: "s", StreamID: "stream", Agent: "demo", Prompt: "p", PromptBytes: 1, AsOfSeq: 9, FirstSeq: 2, LastSeq: 2, AcceptedAt: accepted, Status: "queued"}
	running := base
	running.Status, running.Round, running.LastSeq, running.StartedAt, running.Usage = "running", 3, 9, &started, event.Usage{ModelCalls: 4}
	done := queued()
	done.Status, done.Round, done.LastSeq, done.StartedAt, done.SettledAt, done.Usage = index.Completed, 5, 20, &started, &settled, event.Usage{ModelCalls: 6}
	completed := base
	completed.Status, completed.Round, completed.LastSeq, completed.StartedAt, completed.SettledAt, completed.Usage = "completed", 5, 20, &started, &settled, event.Usage{ModelCalls: 6}
	lost := done
	lost.Status, lost.Error = index.Failed, &event.Error{Code: "max_rounds"}
	failed := completed
	failed.Status, failed.Error = "failed", &event.Error{Code: "max_rounds"}
	waiting := head("a")
	waiting.StartedAt, waiting.Round, waiting.LastSeq, waiting.Usage = nil, 0, 2, event.Usage{}

	for name, c := range map[string]struct {
		head *turn.HeadSummary
		row  index.Operation
		want view.Operation
	}{
		"behind another":                   {head("other"), queued(), base},
		"at the head, not started":         {waiting, queued(), base},
		"at the head, started":             {head("a"), queued(), running},
		"settled":                          {nil, done, completed},
		"settled, another at the head":     {head("other"), done, completed},
		"settled since the head was read":  {head("a"), done, completed},
		"failed since the head was read":   {head("a"), lost, failed},
		"accepted since the head was read": {nil, queued(), base},
	} {
		got := view.Of("s", turn.Summary{StreamID: "stream", Head: c.head}, 9, c.row)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if want := c.want.Status == "completed" || c.want.Status == "failed"; got.Settled() != want {
			t.Errorf("%s: settled is %t", name, got.Settled())
		}
	}
}

// Clients read these names.
func TestSnapshotJSON(t *testing.T) {
	row := queued()
	row.Usage = event.Usage{Tokens: event.Tokens{InputTokens: 1, CacheWriteTokens: 2}, CostUSD: "0.01"}
	o := view.Of("s", turn.Summary{StreamID: "stream"}, 2, row)
	b, err := json.Marshal(o)
	const want = `{"operationId":"a","sessionId":"s","streamId":"stream","agent":"demo","status":"queued","prompt":"p","promptBytes":1,"round":0,"asOfSeq":2,"firstSeq":2,"lastSeq":2,"acceptedAt":"2026-01-02T03:04:05.000000Z","usage":{"inputTokens":1,"outputTokens":0,"cachedTokens":0,"reasoningTokens":0,"cacheWriteTokens":2,"modelCalls":0,"costUsd":"0.01"}}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
}
