package event

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of event versions that have none yet")

var at = At(time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC))

// samples hold every field of every event that this build writes.
var samples = []Event{
	{Data: SessionOpened{StreamID: "01JGK3SR00000000000000000A", Agent: "demo"}},
	{Operation: "op-1", Data: OperationAccepted{
		Prompt:      Text("say <hello> & \u2028bye"),
		Fingerprint: "v1:5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
		Agent:       Agent{Name: "demo", Digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Definition: Text(`{"name":"demo"}`)}}},
	{Operation: "op-1", Data: OperationStarted{}},
	{Operation: "op-1", Data: OperationResumed{Reason: ReasonTakeover, Generation: 2, By: "1-abc/2026/1/req"}},
	{Operation: "op-1", Data: OperationCompleted{Output: Text("done"), Usage: Usage{tokens, 5, ""}}},
	{Operation: "op-1", Data: OperationFailed{Error: Error{"max_rounds", "the turn needed more than 128 rounds"}, Usage: Usage{tokens, 5, ""}}},
	{Operation: "op-1", Data: OperationCancelRequested{}},
	{Operation: "op-1", Data: OperationCancelled{Usage: Usage{tokens, 5, ""}}},
	{Operation: "op-1", Round: 3, Data: OperationWarned{Code: WarnRepeatedCalls, Message: "three times"}},
	{Operation: "op-1", Data: MessageSteered{Text: Text("rather in French"), Fingerprint: "v1:00"}},
	{Operation: "op-1", Round: 1, Data: ToolUnknown{Index: 1, Name: "refund"}},
	{Operation: "op-1", Round: 1, Data: ToolDeferred{Index: 1, Name: "ship", Until: at, Again: true}},
	{Operation: "op-1", Round: 1, Data: ToolAnswered{Index: 1, Output: ptr(Text("shipped"))}},
	{Operation: "op-1", Round: 1, Data: ApprovalRequested{Index: 1, Name: "refund", Reason: ReasonUnknownOutcome}},
	{Operation: "op-1", Round: 1, Data: ApprovalResolved{Index: 1, Decision: Happened, Output: ptr(Text("refunded"))}},
	{Operation: "op-1", Round: 1, Data: ModelStarted{Attempt: 1, Model: "scripted/demo"}},
	{Operation: "op-1", Round: 1, Data: ModelCompleted{Attempt: 1, Items: []ModelItem{
		{Kind: ItemReasoning, Text: ptr(Text("hm"))},
		{Kind: ItemText, Text: ptr(Text("let me look"))},
		{Kind: ItemToolCall, Call: &ToolCall{Index: 0, CallID: "call-1-0", Name: "workspace_read", Arguments: Text(`{"path":`)}},
	}, Usage: tokens, Stop: "tools"}},
	{Operation: "op-1", Round: 1, Data: ModelFailed{Attempt: 2, Error: Error{"rate_limited", "try later"}, RetryAt: &at}},
	{Operation: "op-1", Round: 1, Data: ToolStarted{Index: 0, Name: "workspace_read", Effect: "read", Until: at}},
	{Operation: "op-1", Round: 1, Data: ToolCompleted{Index: 0, CallID: "call-1-0", Name: "workspace_read", Output: Text("a\x00b \xff")}},
	{Operation: "op-1", Round: 1, Data: ToolFailed{Index: 0, CallID: "call-1-0", Name: "workspace_read", Error: Error{"not_found", "no such file"}}},
	{Operation: "op-1", Round: 1, Data: WorkspaceWritten{Path: "/a.txt", SHA256: "00", Bytes: 1 << 20, ContentType: "text/plain", Content: ByRef(Ref{SHA256: "00", Bytes: 1 << 20, Type: "text/plain"})}},
	{Operation: "op-1", Round: 2, Data: TranscriptCompacted{Items: 7, Summary: Text("so far"), Longest: 4096, TokensBefore: 130_000, TokensAfter: 41_000,
		Model: "openai/gpt", Usage: Tokens{1, 2, 3, 4, 5}, CostUSD: "0.0123"}},
	{Operation: "op-1", Round: 2, Data: TranscriptRepaired{Items: 9, Repairs: []Repair{{RepairText, 3}, {RepairArguments, 4}}}},
	{Operation: "op-1", Round: 2, Data: ChildSubmitted{Index: 1, Session: "s.1", Operation: "task", Agent: "coder"}},
	{Operation: "op-1", Round: 2, Data: ChildSettled{Index: 1, Status: "completed", Output: ptr(Text("done")), Usage: Usage{tokens, 5, "0.25"}}},
	{Operation: "op-1", Round: 2, Data: ChildAbandoned{Index: 1, Session: "s.1", Operation: "task"}},
	{Data: WorkspaceDeleted{Path: "/notes/C#.md"}},
	{Data: SessionRetained{Seconds: 30 * 24 * 3600, Own: true}},
	{Data: SessionDeleted{}},
}

var tokens = Tokens{1, 2, 3, 4, 0}

func ptr[T any](v T) *T { return &v }

// variants hold the optional fields that the samples leave out, by golden file.
var variants = map[string]Event{
	"operation.accepted.v1.by-reference": {Operation: "op-1", Data: OperationAccepted{
		Prompt: ByRef(Ref{SHA256: "00", Bytes: 50 << 20, Type: "text/plain; charset=utf-8"}), Preview: "how it begins", Fingerprint: "v1:00", Agent: Agent{Name: "demo"}}},
	"model.completed.v1.several-texts": {Operation: "op-1", Round: 1, Data: ModelCompleted{Attempt: 1, Stop: "end", Output: ptr(Text("ab")),
		Items: []ModelItem{{Kind: ItemText, Text: ptr(Text("a"))}, {Kind: ItemReasoning, Text: ptr(Text("hm"))}, {Kind: ItemText, Text: ptr(Text("b"))}}}},
	"operation.completed.v1.stop": {Operation: "op-1", Data: OperationCompleted{Output: Text("and then"), Stop: "length", Usage: Usage{tokens, 5, ""}}},
	"model.failed.v1.usage":       {Operation: "op-1", Round: 1, Data: ModelFailed{Attempt: 1, Error: Error{"empty_response", "nothing"}, Usage: &tokens}},
	"session.opened.v1.child":     {Data: SessionOpened{StreamID: "01JGK3SR00000000000000000A", Agent: "coder", Parent: &Parent{Session: "s", Operation: "op-1", Round: 2, Index: 1, Depth: 1}}},
	"child.settled.v1.failed":     {Operation: "op-1", Round: 2, Data: ChildSettled{Index: 1, Status: "failed", Error: &Error{"max_rounds", "too many"}}},
	"model.started.v1.compact":    {Operation: "op-1", Round: 2, Data: ModelStarted{Attempt: 1, Model: "openai/gpt", Purpose: PurposeCompact}},
	"model.failed.v1.partial":     {Operation: "op-1", Round: 1, Data: ModelFailed{Attempt: 1, Error: Error{"overloaded", "later"}, Partial: ptr(Text("as I was say")), CostUSD: UnknownUSD}},
	"operation.accepted.v1.input": {Operation: "op-1", Data: OperationAccepted{Prompt: Text("what is it?"), Fingerprint: "v1:00", Agent: Agent{Name: "demo"}, Input: []File{
		{Path: "/a.png", Name: "a.png", Type: "image/png", Content: ByRef(Ref{SHA256: "00", Bytes: 50 << 10, Type: "image/png"})}}}},
	"operation.accepted.v1.traced": {Operation: "op-1", Data: OperationAccepted{Prompt: Text("p"), Fingerprint: "v1:00", Agent: Agent{Name: "demo"},
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-53995c3f42cd8ad8-01", ParentSpanID: "b7ad6b7169203331"}},
	"operation.accepted.v1.trace-begun": {Operation: "op-1", Data: OperationAccepted{Prompt: Text("p"), Fingerprint: "v1:00", Agent: Agent{Name: "demo"},
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-53995c3f42cd8ad8-01"}},
	"model.completed.v1.native": {Operation: "op-1", Round: 1, Data: ModelCompleted{Attempt: 1, Stop: "end", Model: "anthropic/claude", CostUSD: "0.5", CacheMiss: MissExpired, Usage: Tokens{1, 2, 3, 4, 5}, Items: []ModelItem{
		{Kind: ItemReasoning, Text: ptr(Text("hm")), Native: ptr(Text(`{"signature":"c2ln"}`))},
		{Kind: ItemOpaque, Native: ptr(Text(`{"data":"cmVk"}`))},
		{Kind: ItemFile, File: &File{Path: "/out/1.png", Type: "image/png", Content: Text("png")}},
		{Kind: ItemText, Text: ptr(Text("so"))}}}},
	"operation.completed.v1.cost":     {Operation: "op-1", Data: OperationCompleted{Output: Text("done"), Usage: Usage{Tokens{1, 2, 3, 4, 5}, 6, "1.25"}}},
	"approval.requested.v1.policy":    {Operation: "op-1", Round: 1, Data: ApprovalRequested{Index: 0, Name: "refund", Reason: ReasonPolicy, ArgumentsSHA256: "00", ExpiresAt: &at}},
	"approval.resolved.v1.approve":    {Operation: "op-1", Round: 1, Data: ApprovalResolved{Index: 0, Decision: Approve, Note: "half of it", Arguments: ptr(Text(`{"amount":5}`))}},
	"approval.resolved.v1.by":         {Operation: "op-1", Round: 1, Data: ApprovalResolved{Index: 0, Decision: Deny, By: "5e884898da28"}},
	"tool.completed.v1.shown":         {Operation: "op-1", Round: 1, Data: ToolCompleted{Index: 0, CallID: "c", Name: "http_read", Output: Text("long"), Shown: 1024}},
	"tool.answered.v1.failed":         {Operation: "op-1", Round: 1, Data: ToolAnswered{Index: 0, Error: &Error{"out_of_stock", "none are left"}}},
	"approval.resolved.v1.unknown":    {Operation: "op-1", Round: 1, Data: ApprovalResolved{Index: 1, Decision: DidNotHappen, UnknownSeq: 5}},
	"approval.resolved.v1.did-not":    {Operation: "op-1", Round: 1, Data: ApprovalResolved{Index: 1, Decision: DidNotHappen}},
	"operation.resumed.v1.generation": {Operation: "op-1", Data: OperationResumed{Reason: ReasonGeneration, Generation: 3, NotBefore: &at}},
}

// A golden file is the stored form for ever: -update makes missing ones and
// never rewrites one that is there.
func TestStoredFormOfEveryEventIsUnchanged(t *testing.T) {
	seen := map[string]bool{}
	all := maps.Clone(variants)
	for _, e := range samples {
		name := e.Data.EventType() + ".v" + string(rune('0'+e.Data.EventVersion()))
		seen[name], all[name] = true, e
	}
	for name, e := range all {
		e.Seq, e.At = 7, at
		t.Run(name, func(t *testing.T) { golden(t, filepath.Join("testdata", name+".json"), e) })
	}
	for name, versions := range known {
		for v := range versions {
			if n := name + ".v" + string(rune('0'+v)); !seen[n] {
				t.Errorf("%s is registered and has no sample here", n)
			}
		}
	}
}

func golden(t *testing.T, file string, e Event) {
	var indented bytes.Buffer
	if err := json.Indent(&indented, must(e.MarshalJSON()), "", "  "); err != nil {
		t.Fatal(err)
	}
	got := append(indented.Bytes(), '\n')
	want, err := os.ReadFile(file)
	if os.IsNotExist(err) && *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		want = got
	} else if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("stored form (-want +got):\n%s", d)
	}
	var back Event
	if err := json.Unmarshal(want, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(e, back, cmp.Comparer(Value.Equal)); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
}

func TestUnknownEventsAreKeptByteForByte(t *testing.T) {
	for _, in := range []string{
		`{"seq":7,"type":"tool.exploded","v":1,"at":"2026-01-02T03:04:05.678901Z","operationId":"o","round":3,"data":{"z":1,"a":"<b>"}}`,
		`{"seq":7,"type":"model.started","v":99,"at":"2026-01-02T03:04:05.678901Z","data":{"attempt":"many"}}`,
	} {
		var e Event
		if err := json.Unmarshal([]byte(in), &e); err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Data.(Unknown); !ok {
			t.Fatalf("%T, want Unknown", e.Data)
		}
		out, err := e.MarshalJSON()
		if err != nil || string(out) != in {
			t.Errorf("wrote %s, %v\nwant  %s", out, err, in)
		}
	}
}

func TestBrokenEventsAreRefused(t *testing.T) {
	for _, in := range []string{``, `null`, `[]`, `{"type":"x","at":"2026-01-02T03:04:05Z","data":{}}`,
		`{"type":"model.started","v":1,"at":"yesterday","data":{}}`, `{"type":"model.started","v":1,"at":"2026-01-02T03:04:05Z"}`,
		`{"type":"model.started","v":1,"at":"2026-01-02T03:04:05Z","data":{"attempt":"many"}}`} {
		var e Event
		if err := json.Unmarshal([]byte(in), &e); err == nil {
			t.Errorf("%s was taken as %+v", in, e)
		}
	}
}

func FuzzEventReadsWhatItWrites(f *testing.F) {
	for _, e := range samples {
		e.At = at
		f.Add(must(e.MarshalJSON()))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var e, again Event
		if json.Unmarshal(in, &e) != nil {
			return
		}
		out, err := e.MarshalJSON()
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if out2 := must(again.MarshalJSON()); string(out) != string(out2) {
			t.Fatalf("%s\n%s", out, out2)
		}
	})
}

func FuzzValueKeepsItsBytes(f *testing.F) {
	f.Add("plain")
	f.Add("a\x00b")
	f.Add("\xff\xfe half an emoji \xf0\x9f")
	f.Fuzz(func(t *testing.T, s string) {
		var v Value
		if err := json.Unmarshal(must(Text(s).MarshalJSON()), &v); err != nil {
			t.Fatal(err)
		}
		if v.Inline() != s || v.Len() != int64(len(s)) {
			t.Fatalf("%q came back as %q", s, v.Inline())
		}
	})
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
