package awsjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Error is a coded answer. Fields stand beside __type and message in the body,
// for what some errors carry (CancellationReasons, Item).
type Error struct {
	Status  int // HTTP status; 0 means 400
	Code    string
	Message string
	Fields  map[string]any
}

// Errorf returns a client error (status 400).
func Errorf(code, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// asError makes any error an answer. One without a code is ours, hence a 500.
func asError(err error) *Error {
	var coded *Error
	if errors.As(err, &coded) {
		return coded
	}
	return &Error{Status: http.StatusInternalServerError, Code: "InternalServerError", Message: err.Error()}
}

func (e *Error) status() int {
	if e.Status == 0 {
		return http.StatusBadRequest
	}
	return e.Status
}

// body renders the error. DynamoDB spells "message" for most errors and
// "Message" for some; every SDK reads both.
func (e *Error) body(namespace string) []byte {
	fields := make(map[string]any, len(e.Fields)+2)
	for name, value := range e.Fields {
		fields[name] = value
	}
	fields["__type"] = namespace + "#" + e.Code
	fields["message"] = e.Message
	body, err := json.Marshal(fields)
	if err != nil {
		body = []byte(`{"__type":"` + namespace + `#InternalServerError","message":"the error could not be rendered"}`)
	}
	return body
}
