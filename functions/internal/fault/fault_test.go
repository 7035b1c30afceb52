package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

// codes is every code there is, and what HTTP makes of it.
var codes = map[fault.Code]int{
	fault.InvalidRequest: 400, fault.InvalidPath: 422, fault.Unauthorized: 401, fault.NotFound: 404, fault.MethodNotAllowed: 405,
	fault.PreconditionFailed: 412, fault.TooLarge: 413, fault.OperationMismatch: 422, fault.EmptyPrompt: 422, fault.UploadMissing: 422, fault.UnknownAgent: 422, fault.QueueFull: 429,
	fault.SessionBusy: 409, fault.SessionDeleted: 410, fault.ApprovalResolved: 409, fault.ApprovalExpired: 409, fault.CallbackResolved: 409, fault.UnknownType: 400, fault.TooManySubscriptions: 422,
	fault.Unavailable: 503, fault.Internal: 500,
}

func TestEveryCodeHasAClass(t *testing.T) {
	for code, status := range codes {
		class, ok := fault.Table[code]
		if !ok || class.Status != status || class.Title == "" {
			t.Errorf("%s: %+v, want status %d and a title", code, class, status)
		}
		// What a client may simply send again has a status that says so.
		if again := status == 429 || status == 503; class.Retryable != again {
			t.Errorf("%s: retryable is %t", code, class.Retryable)
		}
	}
	for code := range fault.Table {
		if _, ok := codes[code]; !ok {
			t.Errorf("%s has a class and is not listed here", code)
		}
		if strings.Trim(string(code), "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("%q is no name for a code", code)
		}
	}
}

func TestEveryCodeOfTheLogBecomesAPublicOne(t *testing.T) {
	const cause = "secret cause"
	for code, want := range map[eventstore.Code]fault.Code{
		eventstore.Invalid: fault.Internal, eventstore.TooLarge: fault.TooLarge, eventstore.NotFound: fault.NotFound,
		eventstore.LostRace: fault.Internal, eventstore.AlreadyClaimed: fault.Internal, // these two have types of their own, below
		eventstore.Closed: fault.SessionDeleted, eventstore.Throttled: fault.Unavailable, eventstore.Unavailable: fault.Unavailable, eventstore.Corrupt: fault.Internal, eventstore.Denied: fault.Internal,
		"a code of a later day": fault.Internal,
	} {
		err := eventstore.Errorf(code, "append", "%s", cause)
		for _, err := range []error{err, fmt.Errorf("session: %w", err), errors.Join(errors.New(cause), err)} {
			check(t, err, want, cause)
		}
	}
}

func TestErrorsWithoutACodeAreInternal(t *testing.T) {
	const cause = "secret cause"
	record := eventstore.Record{ID: cause, By: cause}
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{errors.New(cause), fault.Internal},
		{context.DeadlineExceeded, fault.Internal},
		{fmt.Errorf("%s: %w", cause, context.Canceled), fault.Internal},
		{&eventstore.Conflict{Existing: record}, fault.Unavailable},
		{&eventstore.Claimed{Existing: eventstore.Claim{Key: cause}}, fault.Internal},
	} {
		check(t, c.err, c.want, cause)
	}
}

func TestThePublicErrorInAChainIsWhatACallerSees(t *testing.T) {
	const cause = "secret cause"
	public := fault.New(fault.QueueFull, "%d wait", 7)
	for _, err := range []error{public, fmt.Errorf("submit: %w: %w", public, errors.New(cause)), errors.Join(eventstore.Errorf(eventstore.Corrupt, "read", cause), public)} {
		check(t, err, fault.QueueFull, cause)
		if f := fault.Of(err); f.Message != "7 wait" {
			t.Errorf("%v: the message is %q", err, f.Message)
		}
	}
	if public.Error() != "queue_full: 7 wait" {
		t.Errorf("%q", public.Error())
	}
}

func check(t *testing.T, err error, want fault.Code, cause string) {
	t.Helper()
	f := fault.Of(err)
	if f.Code != want || f.Message == "" {
		t.Errorf("%v: %+v, want %s and a message", err, f, want)
	}
	if strings.Contains(f.Error(), cause) || strings.Contains(f.Error(), "eventstore") {
		t.Errorf("%v: its cause shows in %q", err, f)
	}
}
