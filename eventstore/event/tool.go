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
	// Shown is how much of the output a model is shown, in bytes; 0 for the usual.
	Shown int64 `json:"shown,omitempty"`
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

// ToolDeferred says that what a call began ends elsewhere, and later. Until then nothing
// runs: the turn waits, at no cost.
type ToolDeferred struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	// Until is when it is waited for no longer. Again: the call is carried out again
	// then; otherwise it has failed, or, of the class once, is unknown.
	Until Time `json:"until"`
	Again bool `json:"again,omitempty"`
}

// ToolAnswered brings what became of a call by its callback URL. The call's result
// follows.
type ToolAnswered struct {
	Index int `json:"index"`
	// Output is what the model reads; or Error, why there is none.
	Output *Value `json:"output,omitempty"`
	Error  *Error `json:"error,omitempty"`
}

func (ToolDeferred) EventType() string  { return "tool.deferred" }
func (ToolDeferred) EventVersion() int  { return 1 }
func (ToolAnswered) EventType() string  { return "tool.answered" }
func (ToolAnswered) EventVersion() int  { return 1 }
func (ToolUnknown) EventType() string   { return "tool.unknown" }
func (ToolUnknown) EventVersion() int   { return 1 }
func (ToolStarted) EventType() string   { return "tool.started" }
func (ToolStarted) EventVersion() int   { return 1 }
func (ToolCompleted) EventType() string { return "tool.completed" }
func (ToolCompleted) EventVersion() int { return 1 }
func (ToolFailed) EventType() string    { return "tool.failed" }
func (ToolFailed) EventVersion() int    { return 1 }
