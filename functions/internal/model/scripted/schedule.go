package scripted

import (
	"encoding/json"
	"fmt"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
)

// scheduled is what the tool schedule_self has a session told.
type scheduled struct {
	At          string `json:"at"`
	Session     string `json:"session"`
	OperationID string `json:"operationId"`
	Agent       string `json:"agent"`
	Prompt      string `json:"prompt"`
}

// schedule waits for its time, submits its prompt, and says so.
func schedule(t turn) (answer, *model.Fault) {
	var s scheduled
	if err := json.Unmarshal([]byte(t.prompt), &s); err != nil || s.At == "" {
		return say(`I am the script of a schedule: my prompt is {"at", "session", "operationId", "agent", "prompt"}, in JSON.`)
	}
	if results := t.results(); len(results) > 0 && results[0].Failed {
		var failed struct{ Error event.Error }
		_ = json.Unmarshal([]byte(results[0].Output), &failed)
		return say(fmt.Sprintf("The prompt was not submitted: %s (%s).", failed.Error.Message, failed.Error.Code))
	}
	switch t.answers() {
	case 0:
		return call("schedule-wait", "wait", map[string]any{"until": s.At})
	case 1:
		return call("schedule-submit", "submit_prompt", map[string]any{"session": s.Session, "operationId": s.OperationID, "agent": s.Agent, "prompt": s.Prompt})
	}
	return say(fmt.Sprintf("Submitted to session %s as operation %s.", s.Session, s.OperationID))
}
