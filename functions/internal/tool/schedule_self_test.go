package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/tool"
)

// A schedule is a submission to a session of its own, which follows from the call.
func TestASchedulesSessionFollowsFromItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []tool.Submission
		e := env()
		e.Key, e.Session, e.Agent = "t/s/op/1/0", "s", "coder"
		e.Submit = func(_ context.Context, s tool.Submission) error { sent = append(sent, s); return nil }
		at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		for _, args := range []map[string]any{{"prompt": "look again", "at": at}, {"prompt": "look again", "seconds": 3600}} {
			r, err := call(t, e, "schedule_self", args)
			if want := fmt.Sprintf(`{"at":%q,"session":%q,"operationId":"scheduled-`, at, sent[len(sent)-1].Session); err != nil || r.Output[:len(want)] != want {
				t.Errorf("%s, %v", r.Output, err)
			}
		}
		var s struct{ At, Session, Agent, Prompt string }
		if len(sent) != 2 || sent[0] != sent[1] || sent[0].Agent != tool.Scheduler || json.Unmarshal([]byte(sent[0].Prompt), &s) != nil || s.At != at || s.Session != "s" || s.Agent != "coder" || s.Prompt != "look again" {
			t.Errorf("%+v", sent)
		}
		e.Key = "t/s/op/1/1"
		if _, err := call(t, e, "schedule_self", map[string]any{"prompt": "look again", "at": at}); err != nil || sent[2].Session == sent[0].Session {
			t.Errorf("another call: %+v, %v", sent[2], err)
		}
	})
}

func TestWhenMustBeClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := env()
		e.Submit = func(context.Context, tool.Submission) error { t.Error("something was submitted"); return nil }
		for _, args := range []map[string]any{
			{}, {"seconds": 0}, {"seconds": -1}, {"seconds": 30*24*3600 + 1}, {"at": "tomorrow"}, {"at": "2000-01-01T00:00:00"}, {"at": "2000-03-01T00:00:00Z"}, {"at": "2000-01-01T01:00:00Z", "seconds": 1},
		} {
			later := map[string]any{"prompt": "p"}
			wait := map[string]any{}
			for k, v := range args {
				later[k], wait[k] = v, v
			}
			if at, ok := wait["at"]; ok {
				wait["until"] = at
				delete(wait, "at")
			}
			if r, err := call(t, e, "schedule_self", later); code(err) != "invalid_arguments" {
				t.Errorf("schedule_self %v: %+v, %v", later, r, err)
			}
			if r, err := call(t, e, "wait", wait); code(err) != "invalid_arguments" {
				t.Errorf("wait %v: %+v, %v", wait, r, err)
			}
		}
		if _, err := call(t, e, "schedule_self", map[string]any{"prompt": " ", "seconds": 1}); code(err) != "empty_prompt" {
			t.Errorf("%v", err)
		}
		if r, err := call(t, e, "wait", map[string]any{"until": "1999-12-31T23:59:59Z"}); err != nil || r.Later != nil { // the clock here begins at 2000
			t.Errorf("a time that is past: %+v, %v", r, err)
		}
	})
}

func TestAPromptForAnotherSession(t *testing.T) {
	e := env()
	e.Key = "t/s/op/1/0"
	var sent tool.Submission
	var fails error
	e.Submit = func(_ context.Context, s tool.Submission) error { sent = s; return fails }
	if r, err := call(t, e, "submit_prompt", map[string]any{"session": "other", "prompt": "p"}); err != nil || sent.Session != "other" || sent.OperationID == "" || r.Output != fmt.Sprintf(`{"session":"other","operationId":%q}`, sent.OperationID) {
		t.Errorf("%+v, %v; sent %+v", r, err, sent)
	}
	for want, args := range map[string]map[string]any{
		"empty_prompt": {"session": "a", "prompt": "\n"},
	} {
		if _, err := call(t, e, "submit_prompt", args); code(err) != want {
			t.Errorf("%v: %v", args, err)
		}
	}
	fails = tool.Failure{Code: "queue_full", Message: "m"}
	if _, err := call(t, e, "submit_prompt", map[string]any{"session": "other", "prompt": "p"}); code(err) != "queue_full" {
		t.Errorf("%v", err)
	}
}
