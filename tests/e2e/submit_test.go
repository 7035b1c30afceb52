package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
)

const demo = "write a short README to /codex/result.txt and read it back"

func TestReceiptThenSettled(t *testing.T) {
	ctx, l := open(t)
	s := session()
	r, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Accepted || r.Status != "queued" || r.OperationID != "op" || r.SessionID != s || r.StreamID == "" || r.After != 1 {
		t.Fatalf("receipt %+v", r)
	}
	o, err := l.Wait(ctx, s, "op")
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != "completed" || o.Output == nil || !strings.Contains(*o.Output, "/codex/result.txt") || o.StreamID != r.StreamID ||
		o.Agent != "demo" || o.Prompt != demo || o.PromptBytes != int64(len(demo)) || o.Round != 3 || o.FirstSeq != 2 || o.LastSeq != o.AsOfSeq ||
		o.StartedAt == nil || o.SettledAt == nil || o.Usage.ModelCalls != 3 || o.Error != nil {
		t.Fatalf("snapshot %+v", o)
	}
}

func TestRepeatedSubmissionIsTheSameOperation(t *testing.T) {
	ctx, l := open(t)
	s := session()
	slow := `{"rounds":20,"callsPerRound":1,"latencyMs":20}`
	first, err := l.Submit(ctx, s, client.Submission{Prompt: slow, OperationID: "op", Agent: "stress"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.Submit(ctx, s, client.Submission{Prompt: slow, OperationID: "op", Agent: "stress"})
	if err != nil || again.Accepted || again.After != first.After || again.StreamID != first.StreamID {
		t.Errorf("in flight: %+v, %v", again, err)
	}
	_, err = l.Submit(ctx, s, client.Submission{Prompt: slow + "\n", OperationID: "op", Agent: "stress"})
	problem(t, err, http.StatusUnprocessableEntity, "operation_mismatch")
	_, err = l.Submit(ctx, s, client.Submission{Prompt: slow, OperationID: "op"})
	problem(t, err, http.StatusUnprocessableEntity, "operation_mismatch")
	if o, err := l.Wait(ctx, s, "op"); err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	again, err = l.Submit(ctx, s, client.Submission{Prompt: slow, OperationID: "op", Agent: "stress"})
	if err != nil || again.Accepted || again.Status != "completed" {
		t.Errorf("settled: %+v, %v", again, err)
	}
}

func TestPromptsThatDifferLateAreDifferent(t *testing.T) {
	ctx, l := open(t)
	s := session()
	long := strings.Repeat("long ", 2000)
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: long + "a", OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	_, err := l.Submit(ctx, s, client.Submission{Prompt: long + "b", OperationID: "op"})
	problem(t, err, http.StatusUnprocessableEntity, "operation_mismatch")
	o, err := l.Wait(ctx, s, "op")
	if err != nil || len(o.Prompt) != 4096 || o.PromptBytes != int64(len(long)+1) {
		t.Errorf("%d characters of %d bytes, %v", len(o.Prompt), o.PromptBytes, err)
	}
}

func TestRefusals(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for _, tc := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"blank prompt", `{"prompt":" \n\t "}`, 422, "empty_prompt"},
		{"no prompt", `{}`, 422, "empty_prompt"},
		{"not JSON", `{"prompt":`, 400, "invalid_request"},
		{"no object", `["prompt"]`, 400, "invalid_request"},
		{"unknown field", `{"prompt":"x","promt":"y"}`, 400, "invalid_request"},
		{"wrong type", `{"prompt":7}`, 400, "invalid_request"},
		{"bad operation id", `{"prompt":"x","operationId":"a/b"}`, 400, "invalid_request"},
		{"dots as id", `{"prompt":"x","operationId":".."}`, 400, "invalid_request"},
		{"unknown agent", `{"prompt":"x","agent":"nobody"}`, 422, "unknown_agent"},
		{"body over 1 MiB", `{"prompt":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "too_large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := l.Raw(ctx, http.MethodPost, "/v1/sessions/"+s+"/operations", []byte(tc.body), nil)
			problem(t, err, tc.status, tc.code)
		})
	}
	_, err := l.Events(ctx, s, 0)
	problem(t, err, http.StatusNotFound, "not_found") // none of it opened the session
}

func TestFailedTurnSaysWhy(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: "not a load", OperationID: "bad", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	if o, err := l.Wait(ctx, s, "bad"); err != nil || o.Status != "failed" || o.Error == nil || o.Error.Code != "model_error" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":200,"callsPerRound":1}`, OperationID: "long", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	if o, err := l.Wait(ctx, s, "long"); err != nil || o.Status != "failed" || o.Error == nil || o.Error.Code != "max_rounds" || o.Usage.ModelCalls != 128 {
		t.Errorf("%+v, %v", o, err)
	}
}

// The stress agent's error quotes the prompt: it is cut, the turn ends, and the
// next operation starts.
func TestLongErrorEndsTheTurnAndTheQueueGoesOn(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for id, prompt := range map[string]string{"long": `{"` + strings.Repeat("a", 100_000) + `":1}`, "next": `{"rounds":0}`} {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: prompt, OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
	}
	if o, err := l.Wait(ctx, s, "long"); err != nil || o.Status != "failed" || o.Error.Code != "model_error" || len(o.Error.Message) > 2048 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := l.Wait(ctx, s, "next"); err != nil || o.Status != "completed" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestHealthNeedsNoKey(t *testing.T) {
	ctx, l := open(t)
	var body json.RawMessage
	if _, err := (client.Client{URL: l.URL}).Do(ctx, http.MethodGet, "/healthz", nil, &body); err != nil {
		t.Error(err)
	}
}
