package index_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
)

var (
	stream = eventstore.Stream{Tenant: "acme", Session: "s"}
	at     = event.At(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
)

// Rows are stored: their keys and bytes must not change.
func TestStoredRowsNeverChange(t *testing.T) {
	for _, c := range []struct {
		row                         eventstore.Row
		partition, sort, kind, data string
	}{
		{index.OperationRow(stream, index.Operation{ID: "a", Agent: "demo", Status: index.Queued, Prompt: "p", PromptBytes: 1, FirstSeq: 2, LastSeq: 2, AcceptedAt: at}),
			"acme#s#operation", "0000000000000002", "operation",
			`{"operationId":"a","agent":"demo","status":"queued","prompt":"p","promptBytes":1,"firstSeq":2,"lastSeq":2,"round":0,"acceptedAt":"2026-01-02T03:04:05.678901Z","usage":{"inputTokens":0,"outputTokens":0,"cachedTokens":0,"reasoningTokens":0,"modelCalls":0}}`},
		{index.SessionRow("acme", index.Session{ID: "s", StreamID: "id", Agent: "demo", OpenedAt: at}),
			"acme#session", "2026-01-02T03:04:05.678901Z#s", "session",
			`{"sessionId":"s","streamId":"id","agent":"demo","openedAt":"2026-01-02T03:04:05.678901Z"}`},
		{index.UnsettledRow(stream, "a", 2), "#unsettled#05", "acme#s#0000000000000002", "unsettled", `{"tenant":"acme","session":"s","operationId":"a"}`},
		{index.SettledRow(stream, 2), "#unsettled#05", "acme#s#0000000000000002", "unsettled", ``}, // deletes that one
	} {
		want := eventstore.Row{RowKey: eventstore.RowKey{Partition: c.partition, Sort: c.sort}, Kind: c.kind, Data: []byte(c.data)}
		if c.data == "" {
			want.Data = nil
		}
		if d := cmp.Diff(want, c.row); d != "" {
			t.Errorf("row (-want +got):\n%s", d)
		}
	}
}

func TestRowsReadWhatTheyWrote(t *testing.T) {
	o := index.Operation{ID: "a", Status: index.Failed, Prompt: "<p>\u2028", FirstSeq: 7, StartedAt: &at, SettledAt: &at, Error: &event.Error{Code: "max_rounds"}, Usage: event.Usage{ModelCalls: 3}}
	back, err := index.DecodeOperation(index.OperationRow(stream, o))
	if d := cmp.Diff(o, back); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	s, err := index.DecodeUnsettled(index.UnsettledRow(stream, "a", 2))
	if s != stream || err != nil {
		t.Errorf("%v, %v", s, err)
	}
}

func TestBrokenRowsAreCorrupt(t *testing.T) {
	for _, data := range []string{"", "null", "{}", `[]`, `{"firstSeq":"2"}`, `{"tenant":"acme"}`, `{"session":"s"}`} {
		row := eventstore.Row{Data: []byte(data)}
		if o, err := index.DecodeOperation(row); eventstore.CodeOf(err) != eventstore.Corrupt || err == nil {
			t.Errorf("operation %s: %+v, %v", data, o, err)
		}
		if s, err := index.DecodeUnsettled(row); eventstore.CodeOf(err) != eventstore.Corrupt || err == nil {
			t.Errorf("unsettled %s: %+v, %v", data, s, err)
		}
	}
}

// Rows are stored: their keys and bytes must not change.
func TestStoredExpiringRow(t *testing.T) {
	at := event.At(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
	want := eventstore.Row{
		RowKey: eventstore.RowKey{Partition: index.ExpiringPartition(index.Shard(stream)), Sort: "2026-01-02T03:04:05.678901Z#" + stream.Tenant + "#" + stream.Session + "#0000000000000007"},
		Kind:   "expiring", Data: []byte(`{"tenant":"` + stream.Tenant + `","session":"` + stream.Session + `","seq":7,"expiresAt":"2026-01-02T03:04:05.678901Z"}`),
	}
	got := index.ExpiringRow(stream, 7, at)
	if d := cmp.Diff(want, got); d != "" || index.ExpiringPartition(3) != "#expiring#03" {
		t.Errorf("row (-want +got):\n%s", d)
	}
	its, err := index.DecodeExpiring(got)
	if err != nil || its != (index.Expiring{Tenant: stream.Tenant, Session: stream.Session, Seq: 7, At: at}) {
		t.Errorf("%+v, %v", its, err)
	}
	for _, data := range []string{"", "{}", `{"tenant":"a","session":"s","seq":7}`, `{"tenant":"a","session":"s","expiresAt":"2026-01-02T03:04:05Z"}`} {
		if its, err := index.DecodeExpiring(eventstore.Row{Data: []byte(data)}); eventstore.CodeOf(err) != eventstore.Corrupt || err == nil {
			t.Errorf("%s: %+v, %v", data, its, err)
		}
	}
}

func TestSessionsSpreadOverAllShards(t *testing.T) {
	seen := map[string]int{}
	for i := range 1000 {
		seen[index.UnsettledRow(eventstore.Stream{Tenant: "acme", Session: eventstore.SeqKey(uint64(i))}, "a", 1).Partition]++
	}
	for shard := range index.Shards {
		if n := seen[index.UnsettledPartition(shard)]; n < 20 {
			t.Errorf("shard %d has %d of 1000 sessions", shard, n)
		}
	}
	if len(seen) != index.Shards {
		t.Errorf("%d partitions, want %d: %v", len(seen), index.Shards, seen)
	}
}

func TestPreviewsAreCutByCharactersAndFitIntoARow(t *testing.T) {
	for _, unit := range []string{"p", "é", "🦀", "\x00", "\xff", "<", "\u2028"} {
		for _, n := range []int{0, 1, index.PromptPreview - 1, index.PromptPreview, index.PromptPreview + 1, 100_000} {
			prompt := strings.Repeat(unit, n)
			got := index.Preview(prompt)
			if want := strings.Repeat(unit, min(n, index.PromptPreview)); got != want {
				t.Errorf("%d times %q: %d characters, want %d", n, unit, utf8.RuneCountInString(got), utf8.RuneCountInString(want))
			}
			row := index.OperationRow(stream, index.Operation{ID: strings.Repeat("a", 128), Prompt: got, FirstSeq: 1})
			if len(row.Data) > eventstore.MaxRow/2 {
				t.Errorf("%d times %q: the row has %d bytes", n, unit, len(row.Data))
			}
		}
	}
}
