package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

// Step Functions and recover go by an error's name. The runtime takes it from
// the error's own type unless it is this one, by value.
func named(t *testing.T, err error) messages.InvokeResponse_Error {
	t.Helper()
	e, ok := err.(messages.InvokeResponse_Error) //nolint:errorlint // as the runtime does
	if !ok {
		t.Fatalf("%T: %v; want an InvokeResponse_Error by value", err, err)
	}
	return e
}

func TestEveryCodeIsTheNameOfItsError(t *testing.T) {
	const cause = "secret cause"
	all := map[fault.Code][]error{}
	for code := range fault.Table {
		all[code] = []error{fault.New(code, "do this"), fmt.Errorf("drive: %w: %w", fault.New(code, "do this"), errors.New(cause))}
	}
	for _, code := range []eventstore.Code{
		eventstore.Invalid, eventstore.TooLarge, eventstore.NotFound, eventstore.LostRace, eventstore.AlreadyClaimed,
		eventstore.Throttled, eventstore.Unavailable, eventstore.Corrupt, eventstore.Denied,
	} {
		err := eventstore.Errorf(code, "append", cause)
		all[fault.Of(err).Code] = append(all[fault.Of(err).Code], err, fmt.Errorf("loop: %w", err))
	}
	all[fault.Internal] = append(all[fault.Internal], errors.New(cause), context.DeadlineExceeded)
	all[fault.Unavailable] = append(all[fault.Unavailable], &eventstore.Conflict{Existing: eventstore.Record{ID: cause}})
	for code, errs := range all {
		for _, err := range errs {
			logs := &bytes.Buffer{}
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(logs, nil)))
			out, got := coded{name: "drive", next: lambda.NewHandler(func() error { return err })}.Invoke(t.Context(), []byte(`{}`))
			slog.SetDefault(before)
			if e := named(t, got); e.Type != string(code) || e.Message != fault.Of(err).Message || strings.Contains(e.Message, cause) || out != nil {
				t.Errorf("%v: %+v, want it named %s, without its cause", err, e, code)
			}
			if n := strings.Count(logs.String(), "\n"); n != 1 || strings.Contains(err.Error(), cause) && !strings.Contains(logs.String(), cause) {
				t.Errorf("%v: logged %q, want its cause once", err, logs)
			}
		}
	}
}

func TestWhatSucceedsGoesThrough(t *testing.T) {
	out, err := coded{name: "drive", next: lambda.NewHandler(func(in map[string]int) (map[string]int, error) { return in, nil })}.Invoke(t.Context(), []byte(`{"a":1}`))
	if err != nil || string(out) != `{"a":1}` {
		t.Errorf("%s, %v", out, err)
	}
}
