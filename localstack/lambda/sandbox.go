package lambda

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"
)

// A Sandbox runs one invocation at a time. The context carries the deadline
// and the lambdacontext; a failure of the function is a *FunctionError. The
// payload returned belongs to the caller.
type Sandbox interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
	Close() error
}

// A Starter makes a new sandbox: a cold start.
type Starter func() (Sandbox, error)

// InProcess starts sandboxes that call a handler on a goroutine. build is
// called once a sandbox: handlers made by aws-lambda-go must not be shared,
// because Invoke returns a buffer that the same handler's next call may reuse.
func InProcess(build func() (lambda.Handler, error)) Starter {
	return func() (Sandbox, error) {
		h, err := build()
		if err != nil {
			return nil, err
		}
		return handlerSandbox{h}, nil
	}
}

type handlerSandbox struct{ handler lambda.Handler }

func (s handlerSandbox) Close() error { return nil }

func (s handlerSandbox) Invoke(ctx context.Context, payload []byte) (response []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			response, err = nil, functionError(panicked(p))
		}
	}()
	response, err = s.handler.Invoke(ctx, payload)
	if err != nil {
		return nil, functionError(typed(err))
	}
	return bytes.Clone(response), nil
}

// panicked renders a panic as the Go runtime of Lambda does; the process would
// exit there, so the sandbox is spoilt.
func panicked(p any) messages.InvokeResponse_Error {
	if e, ok := p.(messages.InvokeResponse_Error); ok {
		e.ShouldExit = true
		return e
	}
	return messages.InvokeResponse_Error{
		Type:       typeName(p),
		Message:    fmt.Sprint(p),
		StackTrace: stack(),
		ShouldExit: true,
	}
}

const maxFrames = 32

func stack() []*messages.InvokeResponse_Error_StackFrame {
	pcs := make([]uintptr, maxFrames)
	pcs = pcs[:runtime.Callers(4, pcs)] // Callers, stack, panicked and the deferred function
	frames := runtime.CallersFrames(pcs)
	var trace []*messages.InvokeResponse_Error_StackFrame
	for {
		f, more := frames.Next()
		label := f.Function[strings.LastIndex(f.Function, "/")+1:]
		path := f.File[strings.LastIndex(f.File, "/")+1:]
		trace = append(trace, &messages.InvokeResponse_Error_StackFrame{Path: path, Line: int32(f.Line), Label: label})
		if !more {
			return trace
		}
	}
}
