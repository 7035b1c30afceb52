package scripted_test

import (
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/scripted"
	"windlass/functions/internal/projection"
)

// A schedule waits, submits, and says what became of that.
func TestAScheduleWaitsAndSubmits(t *testing.T) {
	const prompt = `{"at":"2027-01-31T09:00:00Z","session":"s","operationId":"o","agent":"coder","prompt":"look again"}`
	messages := []projection.Message{{Role: projection.User, Parts: []projection.Part{{Text: prompt}}}}
	ask := func() model.Part {
		t.Helper()
		for p, err := range (scripted.Provider{}).Stream(t.Context(), model.Request{Model: "schedule", Messages: messages}) {
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		t.Fatal("nothing was said")
		return model.Part{}
	}
	answer := func(p model.Part, output string, failed bool) {
		c := *p.Call
		messages = append(messages, projection.Message{Role: projection.Assistant, Parts: []projection.Part{{Call: &projection.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments}}}},
			projection.Message{Role: projection.User, Parts: []projection.Part{{Result: &projection.Result{CallID: c.ID, Name: c.Name, Output: output, Failed: failed}}}})
	}
	wait := ask()
	if wait.Call == nil || wait.Call.Name != "wait" || wait.Call.Arguments != `{"until":"2027-01-31T09:00:00Z"}` {
		t.Fatalf("%+v", wait)
	}
	answer(wait, "{}", false)
	submit := ask()
	if submit.Call == nil || submit.Call.Name != "submit_prompt" || submit.Call.Arguments != `{"agent":"coder","operationId":"o","prompt":"look again","session":"s"}` {
		t.Fatalf("%+v", submit)
	}
	before := messages
	answer(submit, "{}", false)
	if end := ask(); end.Text != "Submitted to session s as operation o." {
		t.Errorf("%+v", end)
	}
	messages = before
	answer(submit, `{"error":{"code":"queue_full","message":"too many wait"}}`, true)
	if end := ask(); end.Text != "The prompt was not submitted: too many wait (queue_full)." {
		t.Errorf("%+v", end)
	}
	messages = messages[:1]
	messages[0].Parts[0].Text = "hello"
	if end := ask(); end.Call != nil || end.Text == "" {
		t.Errorf("%+v", end)
	}
}
