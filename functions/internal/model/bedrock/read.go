package bedrock

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// reader reads one answer and hands its parts on.
type reader struct {
	secret string
	yield  func(model.Part, error) bool
	answer answer
	// stop is why the answer ended; empty until it did.
	stop   string
	tokens *event.Tokens
}

// read hands on what comes until the answer ends, or says why it did not.
func (r *reader) read(ctx context.Context, stream *bedrockruntime.ConverseStreamEventStream) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, more := <-stream.Events():
			if !more {
				return r.over(stream.Err())
			}
			if err := r.event(e); err != nil || r.whole() {
				return err
			}
		}
	}
}

// whole: all came, and was handed on.
func (r *reader) whole() bool { return r.stop != "" && r.tokens != nil }

// over: the stream has ended by itself. AWS counts the tokens at the end of every
// answer; a server that does not is forgiven, one that breaks off there is not.
func (r *reader) over(err error) error {
	if err != nil || r.stop == "" {
		return r.fault(err)
	}
	r.tokens = &event.Tokens{}
	return r.end()
}

// event reads one. What is not known is passed over.
func (r *reader) event(e types.ConverseStreamOutput) error {
	var err error
	switch e := e.(type) {
	case *types.ConverseStreamOutputMemberContentBlockStart:
		r.answer.start(place(e.Value.ContentBlockIndex), e.Value.Start)
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		err = r.answer.delta(place(e.Value.ContentBlockIndex), e.Value.Delta)
	case *types.ConverseStreamOutputMemberContentBlockStop:
		r.answer.stop(place(e.Value.ContentBlockIndex))
	case *types.ConverseStreamOutputMemberMessageStop:
		err = r.stopped(string(e.Value.StopReason))
	case *types.ConverseStreamOutputMemberMetadata:
		r.tokens = tokens(e.Value.Usage)
	}
	if err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.end()
}

// stops are the reasons that are none of the ordinary ones.
var stops = map[string]string{
	"max_tokens": model.StopLength, "model_context_window_exceeded": model.StopLength,
	"guardrail_intervened": model.StopRefusal, "content_filtered": model.StopRefusal, "refusal": model.StopRefusal,
}

func (r *reader) stopped(reason string) error {
	switch reason {
	case "malformed_model_output", "malformed_tool_use":
		// The model is not likely to do so again.
		return &model.Fault{Code: model.Unavailable, Message: "the model wrote what could not be read as an answer (" + reason + ")"}
	}
	cut := stops[reason]
	r.answer.finish(cut != "")
	switch {
	case cut != "":
		r.stop = cut
	case r.answer.calls > 0: // whatever the reason says: makers differ
		r.stop = model.StopTools
	default:
		r.stop = model.StopEnd
	}
	return nil
}

// end hands on how the answer ended, if it did.
func (r *reader) end() error {
	if r.whole() && !r.yield(model.Part{Stop: r.stop, Usage: *r.tokens}, nil) {
		return errEnough
	}
	return nil
}

// flush hands on what may be.
func (r *reader) flush() error {
	if r.answer.tooLarge() {
		return wire.ErrTooLarge
	}
	for _, p := range r.answer.take() {
		if !r.yield(p, nil) {
			return errEnough
		}
	}
	return nil
}

// fault is why a stream broke off.
func (r *reader) fault(err error) error {
	var f *model.Fault
	var said smithy.APIError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &said):
		c := wire.Complaint{Type: wire.Text(said.ErrorCode()), Message: wire.Text(said.ErrorMessage())}
		return c.Fault(c.Status(), c.Said(c.Status(), r.secret))
	}
	return wire.ErrBrokeOff
}

func place(i *int32) int32 {
	if i == nil {
		return 0
	}
	return *i
}

// tokens: AWS counts what was read from the cache, and written to it, apart.
func tokens(u *types.TokenUsage) *event.Tokens {
	if u == nil {
		return &event.Tokens{}
	}
	read, wrote := count(u.CacheReadInputTokens), count(u.CacheWriteInputTokens)
	return &event.Tokens{InputTokens: count(u.InputTokens) + read + wrote, OutputTokens: count(u.OutputTokens), CachedTokens: read, CacheWriteTokens: wrote}
}

func count(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(max(*n, 0))
}
