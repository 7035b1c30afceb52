package lambda

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/aws/aws-lambda-go/lambda/messages"
)

// unknownError names an error whose runtime gave it no name.
const unknownError = "Runtime.Unknown"

// readError reads a function's error as its runtime reported it. named is the
// type in the request's header, which goes before the body's. A body that is no
// error document becomes the message: it is text, and callers get JSON.
func readError(named string, body []byte) *FunctionError {
	var e messages.InvokeResponse_Error
	document := json.Unmarshal(body, &e) == nil
	if named != "" {
		e.Type = named
	}
	if e.Type == "" {
		e.Type = unknownError
	}
	if !document {
		return functionError(messages.InvokeResponse_Error{Type: e.Type, Message: string(body)})
	}
	return &FunctionError{Type: e.Type, Message: e.Message, Payload: body}
}

// trailing is the error with which a response broke off after it had begun, or
// nil.
func trailing(trailer http.Header) *FunctionError {
	named := trailer.Get("Lambda-Runtime-Function-Error-Type")
	if named == "" {
		return nil
	}
	body, err := base64.StdEncoding.DecodeString(trailer.Get("Lambda-Runtime-Function-Error-Body"))
	if err != nil {
		body = nil
	}
	return readError(named, body)
}
