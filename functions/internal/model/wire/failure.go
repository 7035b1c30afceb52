package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"windlass/functions/internal/model"
)

// What a provider may find wrong with an answer.
var (
	ErrBrokeOff   = &model.Fault{Code: model.Unavailable, Message: "the model's answer broke off"}
	ErrUnreadable = &model.Fault{Code: model.Unavailable, Message: "the model provider sent what cannot be read"}
	ErrIdle       = &model.Fault{Code: model.Timeout, Message: "the model provider fell silent in the middle of its answer"}
	ErrTooLarge   = &model.Fault{Code: model.TooLarge, Permanent: true,
		Message: fmt.Sprintf("the model's answer is too large; at most %d bytes, and %d calls, are kept", MaxAnswer, MaxCalls)}
	// ErrNoAnswer: HTTP said that all is well, and what came is no answer.
	ErrNoAnswer = &model.Fault{Code: model.Invalid, Permanent: true, Message: "the model provider answered with something that is no answer; check the base URL"}
)

// Limits of one answer.
const (
	// MaxAnswer bounds an answer's texts, arguments and opaque parts together, in bytes.
	MaxAnswer = 16 << 20
	MaxCalls  = model.MaxCalls
	// MaxItems bounds the items, so that empty ones are bounded too.
	MaxItems = 20_000
)

// Failure is the fault of whatever went wrong. Texts of the network's errors are
// left out, because they hold the URL.
func Failure(ctx context.Context, err error) *model.Fault {
	var f *model.Fault
	var n net.Error
	switch {
	case ctx.Err() != nil:
		return &model.Fault{Code: model.Timeout, Message: "the model gave no whole answer in time"}
	case errors.As(err, &f):
		return f
	case errors.As(err, &n) && n.Timeout():
		return &model.Fault{Code: model.Timeout, Message: "the model provider did not answer in time"}
	}
	message := "the model provider could not be reached"
	var cause syscall.Errno // names no address and no key
	if errors.As(err, &cause) {
		message += ": " + cause.Error()
	}
	return &model.Fault{Code: model.Unavailable, Message: message}
}
