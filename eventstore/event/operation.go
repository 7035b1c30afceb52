package event

// OperationAccepted makes a prompt durable. Nothing has run yet.
type OperationAccepted struct {
	Prompt Value `json:"prompt"`
	// Preview is how a prompt begins that stands elsewhere.
	Preview string `json:"preview,omitempty"`
	// Input is the files that the prompt comes with.
	Input []File `json:"input,omitempty"`
	// Fingerprint is what a repeated submission is compared with.
	Fingerprint string `json:"fingerprint"`
	Agent       Agent  `json:"agent"`
	// Traceparent is the operation's own place in a trace, as the header of that name in
	// W3C Trace Context has it: 00-{trace id}-{its span's id}-{flags}. ParentSpanID is the
	// span of whoever submitted it, in the same trace; empty for none. A repeated submission
	// is not compared with either.
	Traceparent  string `json:"traceparent,omitempty"`
	ParentSpanID string `json:"parentSpanId,omitempty"`
}

// TraceID is the id of the trace that the operation stands in, 32 of 0-9 a-f; empty if the
// build that accepted it knew of none.
func (d OperationAccepted) TraceID() string {
	if len(d.Traceparent) < 36 {
		return ""
	}
	return d.Traceparent[3:35]
}

// Agent pins the definition that the operation's turn uses to its end, whatever
// is deployed meanwhile.
type Agent struct {
	Name string `json:"name"`
	// Digest is the lower-case hex SHA-256 of Definition.
	Digest     string `json:"digest"`
	Definition Value  `json:"definition"`
}

// OperationStarted says that the operation is at the head of its session and
// its prompt has joined the transcript.
type OperationStarted struct{}

// Reasons of OperationResumed.
const (
	// ReasonTakeover: a driver found steps open that a dead one had begun.
	ReasonTakeover = "takeover"
	// ReasonGeneration: the turn goes on in a new Step Functions execution.
	ReasonGeneration = "generation"
)

// OperationResumed changes who drives the operation.
type OperationResumed struct {
	Reason     string `json:"reason"`
	Generation int    `json:"generation"`
	// By is the driver that owns all open steps from here (takeover only).
	By string `json:"by,omitempty"`
	// NotBefore delays the new generation's first effect (generation only).
	NotBefore *Time `json:"notBefore,omitempty"`
}

// OperationCompleted ends a turn with the model's final answer.
type OperationCompleted struct {
	Output Value `json:"output"`
	// Stop is why the model stopped, where it was not done: length or refusal.
	Stop  string `json:"stop,omitempty"`
	Usage Usage  `json:"usage"`
}

// OperationCancelRequested says that somebody wants the turn to end. After it only
// operation.resumed and the settlement follow.
type OperationCancelRequested struct{}

// OperationCancelled ends a turn that was asked to end, or an operation that was
// cancelled before it was submitted.
type OperationCancelled struct {
	Usage Usage `json:"usage"`
}

// Codes of OperationWarned.
const WarnRepeatedCalls = "repeated_calls"

// OperationWarned tells the model, with its next round, that something is odd.
type OperationWarned struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// OperationFailed ends a turn that could not be completed.
type OperationFailed struct {
	Error Error `json:"error"`
	Usage Usage `json:"usage"`
}

// Error is what went wrong, in public words: a stable code for programs, and a
// message for people.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Usage is what a turn has used so far.
type Usage struct {
	Tokens
	// ModelCalls counts the calls that were begun, answered or not.
	ModelCalls int64 `json:"modelCalls"`
	// CostUSD is what they cost, as far as they were answered.
	CostUSD USD `json:"costUsd,omitempty"`
}

func (OperationAccepted) EventType() string        { return "operation.accepted" }
func (OperationAccepted) EventVersion() int        { return 1 }
func (OperationStarted) EventType() string         { return "operation.started" }
func (OperationStarted) EventVersion() int         { return 1 }
func (OperationResumed) EventType() string         { return "operation.resumed" }
func (OperationResumed) EventVersion() int         { return 1 }
func (OperationCompleted) EventType() string       { return "operation.completed" }
func (OperationCompleted) EventVersion() int       { return 1 }
func (OperationFailed) EventType() string          { return "operation.failed" }
func (OperationCancelRequested) EventType() string { return "operation.cancel_requested" }
func (OperationCancelRequested) EventVersion() int { return 1 }
func (OperationCancelled) EventType() string       { return "operation.cancelled" }
func (OperationCancelled) EventVersion() int       { return 1 }
func (OperationWarned) EventType() string          { return "operation.warned" }
func (OperationWarned) EventVersion() int          { return 1 }
func (OperationFailed) EventVersion() int          { return 1 }
