package event

// ToolStarted says that a call is about to be carried out.
type ToolStarted struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	// Effect is what repeating the call would do: read, idempotent or once.
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

// ToolUnknown says that a call of the class once was begun and that nobody knows
// whether it took effect. It is never simply run again.
type ToolUnknown struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
}

func (ToolUnknown) EventType() string   { return "tool.unknown" }
func (ToolUnknown) EventVersion() int   { return 1 }
func (ToolStarted) EventType() string   { return "tool.started" }
func (ToolStarted) EventVersion() int   { return 1 }
func (ToolCompleted) EventType() string { return "tool.completed" }
func (ToolCompleted) EventVersion() int { return 1 }
func (ToolFailed) EventType() string    { return "tool.failed" }
func (ToolFailed) EventVersion() int    { return 1 }
