// Package traces exports traces from the embedded stack to a collector.
package traces

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// span is of it what is looked at here.
type span struct{ TraceID, Name string }

// collect returns the address of a collector, and what it is sent, request by request.
func collect(t *testing.T) (at string, sent <-chan []span) {
	t.Helper()
	all := make(chan []span, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var in struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []span }
			}
		}
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
			return
		}
		var spans []span
		for _, resource := range in.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				spans = append(spans, scope.Spans...)
			}
		}
		all <- spans
	}))
	t.Cleanup(s.Close)
	return s.URL, all
}

// A session's only operation leaves nobody behind whom its end would wake; who collects
// traces hears of it all the same.
func TestEachSettledOperationsTraceIsSent(t *testing.T) {
	at, sent := collect(t)
	s := embedded.Start(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+at)
	ctx := embedded.Context(t)
	for _, sub := range []client.Submission{
		{Prompt: "write hello to /a.txt and read it back", OperationID: "completes", Agent: "demo"},
		{Prompt: "not a load", OperationID: "fails", Agent: "stress"},
	} {
		receipt, err := s.Client().Submit(ctx, "s", sub)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client().Wait(ctx, "s", sub.OperationID); err != nil {
			t.Fatal(err)
		}
		names := map[string]int{}
		select {
		case spans := <-sent:
			for _, its := range spans {
				names[its.Name]++
				if its.TraceID != receipt.TraceID {
					t.Errorf("%s: a span of trace %s, the receipt says %s", sub.OperationID, its.TraceID, receipt.TraceID)
				}
			}
		case <-ctx.Done():
			t.Fatalf("%s: no trace came\n%s", sub.OperationID, s.Log())
		}
		if names["invoke_agent "+sub.Agent] != 1 || names["chat "+sub.Agent] == 0 {
			t.Errorf("%s: %v", sub.OperationID, names)
		}
	}
}
