package models

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// A turn of three rounds with parallel calls over every protocol: over a rate limit,
// call ids that come again, reasoning that is sealed, and a value that stands apart.
func TestATurnOverEveryProtocol(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.Name(), func(t *testing.T) {
			long := strings.Repeat("line of a long file\n", 2000)
			args, err := json.Marshal(map[string]string{"path": "/long.txt", "content": long})
			if err != nil {
				t.Fatal(err)
			}
			used := providers.Usage{Input: 100, Output: 10, Cached: 64}
			answers := []providers.Answer{
				{Usage: used, Parts: []providers.Part{thought("c2VhbGVk"), call("call-0", "workspace_write", string(args)), call("call-1", "workspace_write", `{"path":"/b.txt","content":"b"}`)}},
				{Status: http.StatusTooManyRequests, RetryAfter: "1", Message: "slow down"},
				{Usage: used, Parts: []providers.Part{call("call-0", "workspace_read", `{"path":"/long.txt"}`), call("call-1", "workspace_read", `{"path":"/missing"}`), call("call-2", "workspace_read", ``)}},
				{Usage: used, Parts: []providers.Part{{Text: "Both are written."}}},
			}
			server := providers.Serve(t, p.Protocol, func(n int, _ []byte) providers.Answer { return answers[min(n, len(answers)-1)] })
			ctx := embedded.Context(t)
			s := embedded.Start(t, append(p.env(server.URL), "WINDLASS_MODEL="+p.model())...)
			if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: "write two files, please", OperationID: "op", Agent: "coder"}); err != nil {
				t.Fatal(err)
			}
			o, err := s.Client().Wait(ctx, "s", "op")
			if err != nil || o.Status != "completed" || o.Output == nil || *o.Output != "Both are written." || o.Usage.ModelCalls != 4 || o.Usage.InputTokens != 300 || o.Usage.CachedTokens != 3*64 {
				t.Fatalf("%+v, %+v, %v\n%s", o, o.Error, err, s.Log())
			}
			events, err := s.Client().Events(ctx, "s", 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range checker.Check(events).Violations {
				t.Error(v)
			}
			asked := server.Requests()
			if len(asked) != 4 {
				t.Fatalf("asked %d times", len(asked))
			}
			for _, want := range []string{"c2VhbGVk", "not_found", "invalid_arguments", `line of a long file`, "write two files, please"} {
				if n := strings.Count(string(asked[3]), want); n == 0 || want == "c2VhbGVk" && n != 1 && p.Name() != "openai-compatible" {
					t.Errorf("the last request has %q %d times", want, n)
				}
			}
			s.Kill()
			quiet(t, s, "write two files", "line of a long file", "let me see")
			for _, e := range events {
				if strings.Contains(string(e.Data), secret) {
					t.Error("the key stands in an event")
				}
			}
		})
	}
}
