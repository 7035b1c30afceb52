package lambda

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/aws/aws-lambda-go/lambda/messages"
)

// Limits of the synchronous Invoke, in bytes.
const (
	MaxRequest  = 6 << 20
	MaxResponse = MaxRequest + 100
)

// A FunctionError is what X-Amz-Function-Error stands for: the function was
// run, and failed. Payload is its JSON, as the caller of Invoke receives it.
type FunctionError struct {
	Type    string
	Message string
	Payload []byte

	exit bool // the sandbox is spoilt
}

func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// A ServiceError is Lambda's own: the function was not run.
type ServiceError struct {
	Code    string
	Status  int
	Message string
}

func (e *ServiceError) Error() string { return e.Code + ": " + e.Message }

// ErrorCode is the name by which the SDK's own errors give their code too.
func (e *ServiceError) ErrorCode() string { return e.Code }

// IsRefused reports whether an invocation was none: nothing was run.
func IsRefused(err error) bool {
	var refused *ServiceError
	return errors.As(err, &refused)
}

func notFound(name string) error {
	return &ServiceError{"ResourceNotFoundException", 404, "Function not found: " + name}
}

func throttled() error {
	return &ServiceError{"TooManyRequestsException", 429, "Rate Exceeded."}
}

func requestTooLarge() error {
	return &ServiceError{"RequestTooLargeException", 413,
		fmt.Sprintf("Request must be smaller than %d bytes for the InvokeFunction operation", MaxRequest)}
}

func notJSON() error {
	return &ServiceError{"InvalidRequestContentException", 400, "Could not parse request body into json"}
}

func closed() error {
	return &ServiceError{"ServiceException", 500, "The embedded stack is shutting down."}
}

func responseTooLarge() *FunctionError {
	return functionError(messages.InvokeResponse_Error{
		Type:    "Function.ResponseSizeTooLarge",
		Message: fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", MaxResponse),
	})
}

// functionError makes one whose payload is rendered as the Go runtime does.
func functionError(e messages.InvokeResponse_Error) *FunctionError {
	payload, err := json.Marshal(e)
	if err != nil { // texts and numbers: it cannot fail
		payload = []byte(`{"errorMessage":"","errorType":"Runtime.SerializationError"}`)
	}
	return &FunctionError{Type: e.Type, Message: e.Message, Payload: payload, exit: e.ShouldExit}
}

// typed names a returned error as the Go runtime of Lambda names it. The type
// assertion is direct on purpose: an InvokeResponse_Error inside a wrapper is
// hidden there too.
func typed(err error) messages.InvokeResponse_Error {
	if e, ok := err.(messages.InvokeResponse_Error); ok {
		return e
	}
	return messages.InvokeResponse_Error{Type: typeName(err), Message: err.Error()}
}

func typeName(v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
