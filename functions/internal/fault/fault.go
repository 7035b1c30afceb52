package fault

import (
	"errors"
	"fmt"
	"net/http"

	"windlass/eventstore"
)

// Code is public and stable.
type Code string

const (
	InvalidRequest       Code = "invalid_request"
	InvalidPath          Code = "invalid_path"
	Unauthorized         Code = "unauthorized"
	NotFound             Code = "not_found"
	MethodNotAllowed     Code = "method_not_allowed"
	TooLarge             Code = "too_large"
	PreconditionFailed   Code = "precondition_failed"
	OperationMismatch    Code = "operation_mismatch"
	EmptyPrompt          Code = "empty_prompt"
	UploadMissing        Code = "upload_missing"
	UnknownAgent         Code = "unknown_agent"
	QueueFull            Code = "queue_full"
	SessionBusy          Code = "session_busy"
	SessionDeleted       Code = "session_deleted"
	ApprovalResolved     Code = "approval_resolved"
	ApprovalExpired      Code = "approval_expired"
	CallbackResolved     Code = "callback_resolved"
	UnknownType          Code = "unknown_type"
	TooManySubscriptions Code = "too_many_subscriptions"
	Unavailable          Code = "unavailable"
	Internal             Code = "internal"
)

// Class is what an edge makes of a code.
type Class struct {
	// Status is HTTP's.
	Status int
	// Title is the same for every occurrence.
	Title string
	// Retryable: the same request may succeed later, and is safe to send again.
	Retryable bool
}

// Table holds every code. Function errors and socket errors carry the code
// itself as their name.
var Table = map[Code]Class{
	InvalidRequest:       {http.StatusBadRequest, "The request is malformed", false},
	InvalidPath:          {http.StatusUnprocessableEntity, "The path is malformed", false},
	Unauthorized:         {http.StatusUnauthorized, "A valid API key is required", false},
	NotFound:             {http.StatusNotFound, "There is no such thing", false},
	MethodNotAllowed:     {http.StatusMethodNotAllowed, "The route has no such method", false},
	TooLarge:             {http.StatusRequestEntityTooLarge, "A limit on sizes was exceeded", false},
	PreconditionFailed:   {http.StatusPreconditionFailed, "What is there is not what the request expects", false},
	OperationMismatch:    {http.StatusUnprocessableEntity, "The operation id is taken by another request", false},
	EmptyPrompt:          {http.StatusUnprocessableEntity, "The prompt is empty", false},
	UploadMissing:        {http.StatusUnprocessableEntity, "What was to be uploaded is not there", false},
	UnknownAgent:         {http.StatusUnprocessableEntity, "There is no such agent", false},
	QueueFull:            {http.StatusTooManyRequests, "Too many operations wait in this session", true},
	SessionBusy:          {http.StatusConflict, "The session has operations that are not settled", false},
	SessionDeleted:       {http.StatusGone, "The session was deleted", false},
	ApprovalResolved:     {http.StatusConflict, "The question was answered otherwise, or is none any more", false},
	ApprovalExpired:      {http.StatusConflict, "The question has lapsed", false},
	CallbackResolved:     {http.StatusConflict, "The call waits for no report, or has another one", false},
	UnknownType:          {http.StatusBadRequest, "There is no such type of frame", false},
	TooManySubscriptions: {http.StatusUnprocessableEntity, "The connection has too many subscriptions", false},
	Unavailable:          {http.StatusServiceUnavailable, "The log is out of reach", true},
	Internal:             {http.StatusInternalServerError, "Something unexpected went wrong", false},
}

// Error is a public error.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// New makes an error that a caller sees.
func New(code Code, format string, args ...any) error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// Of is what a caller sees of err: the first public error in its chain, or what
// the log's code stands for. It never shows a cause.
func Of(err error) *Error {
	var public *Error
	if errors.As(err, &public) {
		return public
	}
	var stored *eventstore.Error
	var lost *eventstore.Conflict
	switch {
	case errors.As(err, &lost):
		return &Error{Unavailable, "others were appending to this session all the time; send the same request again"}
	case !errors.As(err, &stored):
		return &Error{Internal, "this was logged; if it happens again, report it with the trace id"}
	}
	switch stored.Code {
	case eventstore.NotFound:
		return &Error{NotFound, "nothing is there"}
	case eventstore.Closed:
		return &Error{SessionDeleted, "the session was deleted; use another one"}
	case eventstore.TooLarge:
		return &Error{TooLarge, "the request does not fit into one entry of the log"}
	case eventstore.Throttled, eventstore.Unavailable:
		return &Error{Unavailable, "the log gave no answer in time; send the same request again, with the same ids: nothing is done twice"}
	}
	return &Error{Internal, "this was logged; if it happens again, report it with the trace id"}
}
