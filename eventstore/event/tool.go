package event

// ToolStarted says that a call is about to be carried out.
type ToolStarted struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	// Effect is what repeating the call would do: read or idempotent.
	Effect string `json:"effect"`
	// Until is when the call's context has ended at the latest.
	Until Time `json:"until"`
}

// ToolCompleted is a call's one result, as the model reads it.
type ToolCompleted struct {
	Index  int    `json:"index"`
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Output Value  `json:"output"`
}

// ToolFailed is a call's one result if it did not do what was asked. The model
// reads it and chooses what to do.
type ToolFailed struct {
	Index  int    `json:"index"`
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Error  Error  `json:"error"`
}

func (ToolStarted) EventType() string   { return "tool.started" }
func (ToolStarted) EventVersion() int   { return 1 }
func (ToolCompleted) EventType() string { return "tool.completed" }
func (ToolCompleted) EventVersion() int { return 1 }
func (ToolFailed) EventType() string    { return "tool.failed" }
func (ToolFailed) EventVersion() int    { return 1 }
