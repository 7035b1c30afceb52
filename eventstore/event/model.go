package event

// ModelStarted says that a round's model call is about to be made.
type ModelStarted struct {
	// Attempt counts the calls of this round, from 1.
	Attempt int `json:"attempt"`
	// Model is "provider/name".
	Model string `json:"model"`
	// Purpose is what is asked for: empty for the round's answer, or PurposeCompact.
	Purpose string `json:"purpose,omitempty"`
}

// PurposeCompact asks for a summary of the conversation, before the round's own
// question. It ends in transcript.compacted or model.failed.
const PurposeCompact = "compact"

// ModelCompleted keeps the model's whole answer.
type ModelCompleted struct {
	Attempt int         `json:"attempt"`
	Items   []ModelItem `json:"items"`
	Usage   Tokens      `json:"usage"`
	// Stop is why the model stopped: end, tools, length, refusal, or pause, where the
	// provider wants to be asked again with what it said so far.
	Stop string `json:"stop"`
	// Model is "provider/name" of the one that answered.
	Model string `json:"model,omitempty"`
	// CostUSD is what the call cost.
	CostUSD USD `json:"costUsd,omitempty"`
	// CacheMiss is why fewer tokens came from the provider's cache than the request
	// before should have left there; see the CacheMiss constants. Empty if as many did.
	CacheMiss string `json:"cacheMiss,omitempty"`
	// Output is the answer's texts as one, where they are several.
	Output *Value `json:"output,omitempty"`
}

// Tokens counts tokens as the provider reported them.
type Tokens struct {
	InputTokens     int64 `json:"inputTokens"`
	OutputTokens    int64 `json:"outputTokens"`
	CachedTokens    int64 `json:"cachedTokens"`
	ReasoningTokens int64 `json:"reasoningTokens"`
	// CacheWriteTokens were written to the provider's cache. They are among the input's,
	// as the cached ones are.
	CacheWriteTokens int64 `json:"cacheWriteTokens,omitempty"`
}

// Why a provider's cache gave less than it should have.
const (
	// MissModel: another model was asked before.
	MissModel = "model_changed"
	// MissAgent: the agent's instructions, tools or settings are others than before.
	MissAgent = "agent_changed"
	// MissCompacted: the transcript was compacted in between.
	MissCompacted = "compacted"
	// MissExpired: the call before was longer ago than providers keep a prefix.
	MissExpired = "expired"
	// MissProvider: nothing on this side explains it.
	MissProvider = "provider"
)

// Plus sums both.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.InputTokens + u.InputTokens, t.OutputTokens + u.OutputTokens, t.CachedTokens + u.CachedTokens, t.ReasoningTokens + u.ReasoningTokens, t.CacheWriteTokens + u.CacheWriteTokens}
}

// Kinds of ModelItem.
const (
	ItemText      = "text"
	ItemReasoning = "reasoning"
	ItemToolCall  = "tool_call"
	ItemFile      = "file"
	// ItemOpaque is nothing but Native.
	ItemOpaque = "opaque"
)

// ModelItem is one part of an answer, in the order in which the model gave it.
type ModelItem struct {
	Kind string `json:"kind"`
	// Text is of text and reasoning.
	Text *Value `json:"text,omitempty"`
	// Call is of tool_call.
	Call *ToolCall `json:"call,omitempty"`
	// File is of file: it was written to the workspace too.
	File *File `json:"file,omitempty"`
	// Native is the item as only the model that made it understands it: encrypted
	// reasoning, a signature. It is given back to that model byte for byte, and to no
	// other.
	Native *Value `json:"native,omitempty"`
}

// File is a file that a model is shown, or made.
type File struct {
	// Path is where it stood, or stands, in the workspace; empty for none.
	Path string `json:"path,omitempty"`
	// Name is how it is called; the end of Path, where there is one.
	Name string `json:"name,omitempty"`
	// Type is its media type, such as image/png.
	Type    string `json:"type"`
	Content Value  `json:"content"`
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
	// Fallback: the next attempt asks the agent's next model.
	Fallback bool `json:"fallback,omitempty"`
	// Usage is what the attempt used, as far as it is known.
	Usage *Tokens `json:"usage,omitempty"`
	// Partial is the text that had come before the answer broke off. It is kept to be
	// read; the model is not shown it.
	Partial *Value `json:"partial,omitempty"`
	// CostUSD is what the attempt cost, where it used anything.
	CostUSD USD `json:"costUsd,omitempty"`
}

func (ModelStarted) EventType() string   { return "model.started" }
func (ModelStarted) EventVersion() int   { return 1 }
func (ModelCompleted) EventType() string { return "model.completed" }
func (ModelCompleted) EventVersion() int { return 1 }
func (ModelFailed) EventType() string    { return "model.failed" }
func (ModelFailed) EventVersion() int    { return 1 }
