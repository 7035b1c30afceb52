// Package models runs whole turns of the embedded stack against local servers that
// speak the providers' protocols.
package models

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// responses is a server that speaks the Responses API: it answers each request by
// how many it has had, and keeps what it was asked.
type responses struct {
	mu    sync.Mutex
	asked []map[string]any
	keys  []string
	say   func(n int) (status int, header map[string]string, items []map[string]any)
}

func (s *responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.mu.Lock()
	s.asked = append(s.asked, body)
	s.keys = append(s.keys, r.Header.Get("Authorization"))
	status, header, items := s.say(len(s.asked))
	s.mu.Unlock()
	for k, v := range header {
		w.Header().Set(k, v)
	}
	if status != http.StatusOK {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":{"code":"rate_limit_exceeded","type":"requests","message":"slow down"}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(e map[string]any) {
		b, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], b)
	}
	for i, it := range items {
		event(map[string]any{"type": "response.output_item.added", "output_index": i, "item": it})
		event(map[string]any{"type": "response.output_item.done", "output_index": i, "item": it})
	}
	event(map[string]any{"type": "response.completed", "response": map[string]any{"id": "r", "status": "completed", "output": items,
		"usage": map[string]any{"input_tokens": 100, "output_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 64}, "output_tokens_details": map[string]any{"reasoning_tokens": 3}}}})
}

func call(id, name, args string) map[string]any {
	return map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": name, "arguments": args, "status": "completed"}
}

func message(text string) map[string]any {
	return map[string]any{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": []map[string]any{{"type": "output_text", "text": text, "annotations": []any{}}}}
}

// A turn of three rounds with parallel calls, over a rate limit, call ids that come
// again and a value that stands apart.
func TestCoderRunsARealTurn(t *testing.T) {
	long := strings.Repeat("line of a long file\n", 2000)
	server := &responses{say: func(n int) (int, map[string]string, []map[string]any) {
		args, _ := json.Marshal(map[string]string{"path": "/long.txt", "content": long})
		switch n {
		case 1:
			return http.StatusOK, nil, []map[string]any{call("call-0", "workspace_write", string(args)), call("call-1", "workspace_write", `{"path":"/b.txt","content":"b"}`)}
		case 2:
			return http.StatusTooManyRequests, map[string]string{"Retry-After": "1"}, nil
		case 3:
			return http.StatusOK, nil, []map[string]any{call("call-0", "workspace_read", `{"path":"/long.txt"}`), call("call-1", "workspace_read", `{"path":"/missing"}`)}
		}
		return http.StatusOK, nil, []map[string]any{message("Both are written.")}
	}}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	ctx := embedded.Context(t)
	s := embedded.Start(t, "OPENAI_BASE_URL="+web.URL+"/v1", "OPENAI_API_KEY=secret-of-the-provider", "OPENAI_MODEL=local-model")
	if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: "write two files", OperationID: "op", Agent: "coder"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Client().Wait(ctx, "s", "op")
	if err != nil || o.Status != "completed" || o.Output == nil || *o.Output != "Both are written." || o.Usage.ModelCalls != 4 || o.Usage.CachedTokens != 3*64 {
		t.Fatalf("%+v, %+v, %v", o, o.Error, err)
	}
	events, err := s.Client().Events(ctx, "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range checker.Check(events).Violations {
		t.Error(v)
	}
	if n := len(server.asked); n != 4 {
		t.Fatalf("asked %d times", n)
	}
	last := server.asked[3]
	if last["model"] != "local-model" || last["store"] != false {
		t.Errorf("model %v, store %v", last["model"], last["store"])
	}
	ids, outputs := map[string]int{}, map[string]string{}
	for _, raw := range last["input"].([]any) {
		it := raw.(map[string]any)
		switch it["type"] {
		case "function_call":
			ids[it["call_id"].(string)]++
		case "function_call_output":
			outputs[it["call_id"].(string)] = it["output"].(string)
		}
	}
	if len(ids) != 4 || len(outputs) != 4 {
		t.Errorf("calls %v, %d outputs: want four calls under ids of their own, each with its result", ids, len(outputs))
	}
	all := ""
	for id, n := range ids {
		if n != 1 || outputs[id] == "" {
			t.Errorf("call %s stands %d times, with result %.40q", id, n, outputs[id])
		}
		all += outputs[id]
	}
	if !strings.Contains(all, "not_found") || !strings.Contains(all, "line of a long file") {
		t.Error("the model was not shown the file it read, or the error of the missing one")
	}
	s.Kill()
	if strings.Contains(s.Log(), "secret-of-the-provider") {
		t.Error("the key stands in the log")
	}
	for _, e := range events {
		if strings.Contains(string(e.Data), "secret-of-the-provider") {
			t.Error("the key stands in an event")
		}
	}
}
