package model

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/projection"
)

// Request is one question.
type Request struct {
	// Model is the provider's name for it.
	Model        string
	Instructions string
	// Purpose is what is asked for: empty for a round's answer, or event.PurposeCompact.
	Purpose string
	// Messages keep the rules of the provider's protocol; see package projection. Read
	// only.
	Messages []projection.Message
	Tools    []Tool
	// MaxOutputTokens bounds the answer, reasoning included; 0 for the provider's own bound.
	MaxOutputTokens int
	// Effort says how much the model may think: one of the Effort constants, or empty for
	// the provider's default.
	Effort string
	// CacheKey is the same for all requests of a session, and tells nothing of it.
	CacheKey string
}

// HasNatives reports whether opaque material is in the request.
func (r Request) HasNatives() bool {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.Native != "" || p.Call != nil && p.Call.Native != "" {
				return true
			}
		}
	}
	return false
}

// HasFiles reports whether a file is in the request, other than as text.
func (r Request) HasFiles() bool {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.File != nil {
				return true
			}
		}
	}
	return false
}

// How much a model may think.
const (
	EffortNone   = "none"
	EffortLow    = "low"
	EffortMedium = "medium"
	EffortHigh   = "high"
)

// Tool is what the model is told of a tool.
type Tool struct {
	Name        string
	Description string
	// Schema is a JSON Schema of type object.
	Schema json.RawMessage
}

// Part is a piece of an answer, as it arrives. Text and reasoning come in deltas
// that belong together until another kind of part comes; a call and a file come
// whole; the last part has Stop.
type Part struct {
	Text      string
	Reasoning string
	// Native is what the text or reasoning before it is in the provider's own form, to be
	// given back as it is; it ends that item. With nothing before it, it is an item of
	// its own. See [projection.Part].
	Native string
	Call   *Call
	File   *File
	Stop   string
	Usage  event.Tokens
}

// Reasons to stop.
const (
	StopEnd     = "end"
	StopTools   = "tools"
	StopLength  = "length"
	StopRefusal = "refusal"
	// StopPause: the provider wants to be asked again, with what it said so far.
	StopPause = "pause"
)

// Call is a tool call as the provider gave it.
type Call struct {
	ID, Name, Arguments string
	// Native is what belongs to the call beside, to be given back with it.
	Native string
}

// File is a file that the model made.
type File struct{ Type, Data string }

// Provider asks a model once.
type Provider interface {
	// Rules are those of its protocol, but for Origin and FilesAfter.
	Rules() projection.Rules
	// Stream yields the answer's parts, then ends; or yields an error, a [Fault]
	// where the provider said what is wrong. It ends soon after ctx does.
	Stream(ctx context.Context, r Request) iter.Seq2[Part, error]
}

// Codes of faults. They are public.
const (
	RateLimited = "rate_limited"
	Overloaded  = "overloaded"
	Unavailable = "unavailable"
	Timeout     = "timeout"
	// Overflow: the request is longer than the model reads.
	Overflow = "context_overflow"
	// Invalid: the provider says that the request is wrong.
	Invalid = "model_error"
	// Denied: this model cannot be asked with these credentials: a wrong key, no such
	// model, nothing left to pay with. Another model may be.
	Denied = "model_denied"
	// Policy: the provider refuses the content.
	Policy = "content_policy"
	// NativeRefused: the provider refuses opaque material that it once gave.
	NativeRefused = "native_refused"
	// TooLarge: the answer is larger than what is kept.
	TooLarge = "too_large"
)

// Fault is why a call gave no answer. It never holds a key, or text of a prompt.
type Fault struct {
	// Code is one of those above.
	Code    string
	Message string
	// Permanent: asking the same model the same again would give the same.
	Permanent bool
	// Files: the provider may mean a file of the request.
	Files bool
	// RetryAfter is what the provider asked for; 0 if nothing.
	RetryAfter time.Duration
}

func (f *Fault) Error() string { return f.Code + ": " + f.Message }
