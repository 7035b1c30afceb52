package event

// ModelStarted says that a round's model call is about to be made.
type ModelStarted struct {
	// Attempt counts the calls of this round, from 1.
	Attempt int `json:"attempt"`
	// Model is "provider/name".
	Model string `json:"model"`
}

// ModelCompleted keeps the model's whole answer.
type ModelCompleted struct {
	Attempt int         `json:"attempt"`
	Items   []ModelItem `json:"items"`
	Usage   Tokens      `json:"usage"`
	// Stop is why the model stopped: end, tools, length or refusal.
	Stop string `json:"stop"`
	// Output is the answer's texts as one, where they are several.
	Output *Value `json:"output,omitempty"`
}

// Tokens counts tokens as the provider reported them.
type Tokens struct {
	InputTokens     int64 `json:"inputTokens"`
	OutputTokens    int64 `json:"outputTokens"`
	CachedTokens    int64 `json:"cachedTokens"`
	ReasoningTokens int64 `json:"reasoningTokens"`
}

// Plus sums both.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.InputTokens + u.InputTokens, t.OutputTokens + u.OutputTokens, t.CachedTokens + u.CachedTokens, t.ReasoningTokens + u.ReasoningTokens}
}

// Kinds of ModelItem.
const (
	ItemText      = "text"
	ItemReasoning = "reasoning"
	ItemToolCall  = "tool_call"
)

// ModelItem is one part of an answer, in the order in which the model gave it.
type ModelItem struct {
	Kind string `json:"kind"`
	// Text is of text and reasoning.
	Text *Value `json:"text,omitempty"`
	// Call is of tool_call.
	Call *ToolCall `json:"call,omitempty"`
}

// ToolCall is what the model asked for. Its identity is (operation, round,
// index): providers repeat their call ids.
type ToolCall struct {
	// Index is the call's place among its round's calls, from 0.
	Index int `json:"index"`
	// CallID is the provider's own, kept as data.
	CallID string `json:"callId"`
	Name   string `json:"name"`
	// Arguments is the text as the model wrote it, well-formed or not.
	Arguments Value `json:"arguments"`
}

// ModelFailed ends an attempt that gave no answer.
type ModelFailed struct {
	Attempt int   `json:"attempt"`
	Error   Error `json:"error"`
	// RetryAt is when the next attempt may begin; absent if there is none.
	RetryAt *Time `json:"retryAt,omitempty"`
	// Usage is what an attempt used that was answered, but to no purpose.
	Usage *Tokens `json:"usage,omitempty"`
}

func (ModelStarted) EventType() string   { return "model.started" }
func (ModelStarted) EventVersion() int   { return 1 }
func (ModelCompleted) EventType() string { return "model.completed" }
func (ModelCompleted) EventVersion() int { return 1 }
func (ModelFailed) EventType() string    { return "model.failed" }
func (ModelFailed) EventVersion() int    { return 1 }
