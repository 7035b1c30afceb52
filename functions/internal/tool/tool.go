package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"windlass/eventstore/event"
	"windlass/functions/internal/workspace"
)

// Effect says what repeating a call would do.
type Effect string

const (
	// Read changes nothing: repeat freely.
	Read Effect = "read"
	// Idempotent: repeating with the same key changes nothing more.
	Idempotent Effect = "idempotent"
	// Once must not be repeated: a call that was begun and whose outcome is lost is
	// looked into by Reconcile, or by a person.
	Once Effect = "once"
)

// Limits of a call.
const (
	// MaxArguments bounds a call's arguments, in bytes.
	MaxArguments = 16 << 20
	// MaxOutput bounds a call's output, in bytes.
	MaxOutput = 16 << 20
	// MaxFiles bounds the files that a call changes, and MaxInlineFiles those of
	// their bytes that stand in the log itself: an outcome has to fit into one entry
	// of it, however it is escaped.
	MaxFiles       = 1000
	MaxInlineFiles = 2 << 20
)

// Env is what a call may use.
type Env struct {
	// Key is the same for every repetition of this call and for no other call.
	Key string
	// Session and Agent are whose call it is.
	Session, Agent string
	// Again: the call said [Later] with Again before, and that time has come.
	Again     bool
	Workspace *workspace.View
	Values    Values
	// Outputs finds the output of a call of the session that the model is shown, by
	// its SHA-256 in lower-case hex; nil finds none. It may be called at any time.
	Outputs func(sha256 string) (event.Value, bool)
	// Callback is the URL by which the outside reports what became of this call, the same
	// for every repetition; for calls that return Later. Its error ends the call.
	Callback func(context.Context) (string, error)
	// Submit hands a prompt to a session of the tenant, under an id that follows from the
	// call: again is as once, whatever it says then.
	Submit func(context.Context, Submission) error
}

// Submission is a prompt for a session.
type Submission struct{ Session, Prompt, Agent, OperationID string }

// Values keeps what a call makes and loads what it needs, wherever it stands.
// Its errors end the call, and may be tried again by another driver.
type Values interface {
	Keep(ctx context.Context, data, mediaType string) (event.Value, error)
	Load(ctx context.Context, v event.Value, offset, n int64) (string, error)
}

// Result is what a call gives: what the model reads, and what became of files.
type Result struct {
	Output string
	// Files are what the call did to files, in order: [event.WorkspaceWritten] and
	// [event.WorkspaceDeleted]. They become durable together with the result; calls
	// of the same round see them as soon as [Call.Run] has returned.
	Files []event.Payload
	// Passing: what the output tells of may pass by itself, such as a 503.
	Passing bool
	// Later, if not nil, stands for all else: the result comes later.
	Later *Later
}

// Later says that what a call began ends elsewhere, and is reported by the call's
// Callback. The turn waits at no cost, over restarts and deploys.
type Later struct {
	// For is how long, at most [MaxLater]. What comes after it is too late: the call has
	// failed then, or, of the class Once, is unknown.
	For time.Duration
	// Again: the call runs again then, and may say Later again. Not of the class Once.
	Again bool
}

// MaxLater bounds how long a call's end is waited for.
const MaxLater = 30 * 24 * time.Hour

// Tool is one thing a model can ask for.
type Tool struct {
	Name        string
	Description string
	// Schema is the arguments' JSON Schema.
	Schema  json.RawMessage
	Effect  Effect
	Timeout time.Duration
	// Reconcile, of a tool of the class Once, finds out what became of a call that
	// had this Env; nil if it cannot be found out. A nil Result and no error means
	// that the call did not happen, and may be run; an error, that nobody knows.
	Reconcile func(context.Context, Env, json.RawMessage) (*Result, error)

	// About says what a call is about, by [AboutArgs]; nil if its target says it.
	About func(arguments any) Subject

	resolved *jsonschema.Resolved
	// read reads the arguments as what target and run take.
	read func(json.RawMessage) (any, error)
	// target names what a call works on; calls of one target keep their order.
	target func(any) string
	run    func(context.Context, Env, any) (Result, error)
}

// Failure is an error that the model reads.
type Failure event.Error

func (f Failure) Error() string { return f.Code + ": " + f.Message }

// maxMessage bounds what a failure says, in bytes: it may quote arguments.
const maxMessage = 4 << 10

func failf(code, format string, args ...any) error {
	m := fmt.Sprintf(format, args...)
	if len(m) > maxMessage { // what is wrong stands at the end, or at the beginning
		m = strings.ToValidUTF8(m[:maxMessage/2]+"…"+m[len(m)-maxMessage/2:], "")
	}
	return Failure{Code: code, Message: m}
}

// Define builds a tool from a function over its arguments' struct. target names what
// a call works on, "" for nothing in particular.
func Define[Args any](t Tool, target func(Args) string, run func(context.Context, Env, Args) (Result, error)) *Tool {
	schema, err := jsonschema.For[Args](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err)) // a struct of ours
	}
	if t.resolved, err = schema.Resolve(nil); err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err))
	}
	if t.Schema, err = json.Marshal(schema); err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err))
	}
	t.Description = strings.TrimSpace(t.Description)
	t.read = func(raw json.RawMessage) (any, error) {
		var a Args
		err := json.Unmarshal(raw, &a)
		return a, err
	}
	t.target = func(a any) string { return target(a.(Args)) }
	t.run = func(ctx context.Context, env Env, a any) (Result, error) { return run(ctx, env, a.(Args)) }
	return &t
}

// EveryFile is the target of a call that works on the whole workspace: it keeps
// its place among all calls that work on files.
const EveryFile = "file:*"

// Subject is what a call is about, for the rules of an agent's definition. What cannot be
// told is nil. Prefixes stand for every file whose path begins with one.
// It has the form of an agent's own Subject, which may be made of it.
type Subject struct {
	Tool            string
	Paths, Prefixes []string
	Hosts, Methods  []string
}

// AboutArgs is [Tool.About] by a function over the arguments' struct.
func AboutArgs[Args any](of func(Args) Subject) func(any) Subject {
	return func(a any) Subject { return of(a.(Args)) }
}

// files are the subject of a call that names them; one that is no path makes it unknown,
// and the call will be refused.
func files(paths ...string) Subject {
	s := Subject{}
	for _, p := range paths {
		clean, err := cleanPath(p)
		if err != nil {
			return Subject{}
		}
		s.Paths = append(s.Paths, clean)
	}
	return s
}

// below is the subject of a call that is also about what stands below its paths.
func below(paths ...string) Subject {
	s := files(paths...)
	for _, p := range s.Paths {
		s.Prefixes = append(s.Prefixes, p+"/")
	}
	return s
}

// ErrUnknown: a call of the class Once was begun, and whether it took effect is not
// known. A tool may return it, wrapped, where it cannot tell.
var ErrUnknown = errors.New("tool: whether the call took effect is not known")

// Unkept is the result of a call of the class Once that took effect and whose output
// cannot be kept.
const Unkept = "The call took effect. What it returned could not be kept."

// LookInto asks [Tool.Reconcile]. It ends by the tool's Timeout, and its error means
// that nobody knows.
func (t *Tool) LookInto(ctx context.Context, env Env, arguments string) (r *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "a tool panicked while it looked into a call", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			r, err = nil, ErrUnknown
		}
	}()
	if t.Reconcile == nil {
		return nil, ErrUnknown
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	r, err = t.Reconcile(ctx, env, json.RawMessage(arguments))
	if err == nil && r != nil && len(r.Output) > MaxOutput {
		r.Output = Unkept
	}
	return r, err
}

// bound says what of a result is more than can be kept.
func bound(r Result) error {
	inline := 0
	for _, p := range r.Files {
		if w, ok := p.(event.WorkspaceWritten); ok && w.Bytes <= event.MaxInline { // larger ones stand apart
			inline += len(w.Content.Inline())
		}
	}
	switch {
	case len(r.Output) > MaxOutput:
		return failf("too_large", "the output has %d bytes, at most %d can be kept; ask for less at once", len(r.Output), MaxOutput)
	case len(r.Files) > MaxFiles || inline > MaxInlineFiles:
		return failf("too_large", "the call does too much at once: %d changes of files, %d bytes in small ones; at most %d and %d can be kept; nothing was changed; do it in parts", len(r.Files), inline, MaxFiles, MaxInlineFiles)
	}
	return nil
}

func (t *Tool) unexpected() error {
	if t.Effect == Once {
		return ErrUnknown
	}
	return failf("internal", "the tool failed unexpectedly; this was logged")
}
