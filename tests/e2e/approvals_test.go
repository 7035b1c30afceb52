package e2e

import (
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
)

// A person allows a write, or does not; a path that policy allows needs nobody, and
// one that it forbids cannot be allowed.
func TestAPersonAllowsACall(t *testing.T) {
	ctx, l := open(t)
	s := session()
	ask := func(id, path string) client.Operation {
		t.Helper()
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: "write a poem to " + path + " and read it back", OperationID: id, Agent: "careful"}); err != nil {
			t.Fatal(err)
		}
		o, err := l.Waiting(ctx, s, id)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := ask("allowed", "/poem.md")
	if o.Status != "waiting" || len(o.Approvals) != 1 {
		t.Fatalf("%+v", o)
	}
	if a := o.Approvals[0]; a.Step != "1.0" || a.Tool != "workspace_write" || a.Reason != "policy" || !strings.Contains(string(a.Arguments), "/poem.md") || a.ExpiresAt == nil {
		t.Errorf("%+v", a)
	}
	_, err := l.Decide(ctx, s, "allowed", "1.1", map[string]any{"decision": "approve"})
	problem(t, err, http.StatusNotFound, "not_found")
	_, err = l.Decide(ctx, s, "allowed", "1.0", map[string]any{"decision": "maybe"})
	problem(t, err, http.StatusBadRequest, "invalid_request")
	for _, arguments := range []map[string]any{{"path": 5}, {"path": "/secrets/x", "content": "y"}} { // the question stays open
		_, err = l.Decide(ctx, s, "allowed", "1.0", map[string]any{"decision": "approve", "arguments": arguments})
		problem(t, err, http.StatusBadRequest, "invalid_request")
	}
	for range 2 { // an answer may be lost: it is sent again
		if _, err := l.Decide(ctx, s, "allowed", "1.0", map[string]any{"decision": "approve"}); err != nil {
			t.Fatal(err)
		}
	}
	if o, err := l.Wait(ctx, s, "allowed"); err != nil || o.Status != "completed" || !strings.Contains(*o.Output, "# poem") {
		t.Errorf("%+v, %v", o, err)
	}
	_, err = l.Decide(ctx, s, "allowed", "1.0", map[string]any{"decision": "deny"})
	problem(t, err, http.StatusConflict, "approval_resolved")

	ask("noted", "/noted.md")
	if _, err := l.Decide(ctx, s, "noted", "1.0", map[string]any{"decision": "approve", "note": "go on"}); err != nil {
		t.Fatal(err)
	}
	if o, err := l.Wait(ctx, s, "noted"); err != nil || o.Status != "completed" || !strings.Contains(*o.Output, "# poem") {
		t.Errorf("%+v, %v", o, err)
	}
	ask("denied", "/other.md")
	if _, err := l.Decide(ctx, s, "denied", "1.0", map[string]any{"decision": "deny", "note": "no poems, please"}); err != nil {
		t.Fatal(err)
	}
	if o, err := l.Wait(ctx, s, "denied"); err != nil || o.Status != "completed" || !strings.Contains(*o.Output, "no poems, please") {
		t.Errorf("%+v, %v", o, err)
	}
	if o := ask("free", "/drafts/a.md"); o.Status != "completed" || !strings.Contains(*o.Output, "# poem") {
		t.Errorf("%+v", o)
	}
	if o := ask("forbidden", "/secrets/a.md"); o.Status != "completed" || !strings.Contains(*o.Output, "denied") {
		t.Errorf("%+v", o)
	}
	ask("cancelled", "/third.md")
	if o, err := l.Cancel(ctx, s, "cancelled"); err != nil || o.Status != "cancelled" {
		t.Errorf("%+v, %v", o, err)
	}
	ask("mine", "/fourth.md")
	_, err = l.Other.Decide(ctx, s, "mine", "1.0", map[string]any{"decision": "approve"})
	problem(t, err, http.StatusNotFound, "not_found")
}
