package dynamo

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/smithy-go"

	"windlass/eventstore"
)

// codes classify what DynamoDB answers, by its error code. Whatever is not here,
// a broken connection among it, is Unavailable: nothing is known.
var codes = map[string]eventstore.Code{
	// This copy of the request stored nothing and may be sent again.
	"ProvisionedThroughputExceededException": eventstore.Throttled,
	"RequestLimitExceeded":                   eventstore.Throttled,
	"ThrottlingException":                    eventstore.Throttled,
	"TransactionConflictException":           eventstore.Throttled,
	"ReplicatedWriteConflictException":       eventstore.Throttled,

	// It may be stored, or may yet be.
	"TransactionInProgressException": eventstore.Unavailable,
	"InternalServerError":            eventstore.Unavailable,
	"ServiceUnavailable":             eventstore.Unavailable,
	// The deployment is at fault, not the caller; and a stream that cannot be
	// looked for must never be reported as one that does not exist.
	"ResourceNotFoundException": eventstore.Unavailable,

	"ValidationException":    eventstore.Invalid,
	"SerializationException": eventstore.Invalid,

	"ItemCollectionSizeLimitExceededException": eventstore.TooLarge,
	"RequestEntityTooLargeException":           eventstore.TooLarge,

	"AccessDeniedException":               eventstore.Denied,
	"UnrecognizedClientException":         eventstore.Denied,
	"InvalidSignatureException":           eventstore.Denied,
	"IncompleteSignatureException":        eventstore.Denied,
	"MissingAuthenticationTokenException": eventstore.Denied,
	"ExpiredTokenException":               eventstore.Denied,
}

// coded gives an SDK error its code; nil stays nil.
func coded(op string, err error) error {
	if err == nil {
		return nil
	}
	code := eventstore.Unavailable
	var api smithy.APIError
	if errors.As(err, &api) {
		if c, known := codes[api.ErrorCode()]; known {
			code = sized(c, api.ErrorMessage())
		}
	}
	return eventstore.Errorf(code, op, "%w", err)
}

// sized tells an oversize item from other validation errors; DynamoDB has one
// code for both.
func sized(c eventstore.Code, message string) eventstore.Code {
	if c == eventstore.Invalid && strings.Contains(message, "exceeded the maximum allowed size") {
		return eventstore.TooLarge
	}
	return c
}

// alive refuses a call whose context has ended, so that nothing is sent.
func alive(ctx context.Context, op string) error {
	if err := ctx.Err(); err != nil {
		return eventstore.Errorf(eventstore.Unavailable, op, "%w", err)
	}
	return nil
}
