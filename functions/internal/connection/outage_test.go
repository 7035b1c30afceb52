package connection_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/smithy-go"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/localstack/dynamodb"
)

func down(string) *dynamodb.Fault { return &dynamodb.Fault{Error: dynamodb.Internal} }

// count counts the calls of one operation.
func count(operation string, n *int) func(string) *dynamodb.Fault {
	return func(called string) *dynamodb.Fault {
		if called == operation {
			*n++
		}
		return nil
	}
}

// A table that is down must not look as if the caller were wrong: clients throw
// refused tickets and unknown connections away.
func TestATableThatIsDownIsUnavailableAndKeepsItsCause(t *testing.T) {
	w := newWorld(t)
	c := w.open(t, "c1=", acme)
	ticket, _, err := w.IssueTicket(t.Context(), acme)
	try(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, call := range map[string]func(context.Context) error{
		"issue":         func(ctx context.Context) error { _, _, err := w.IssueTicket(ctx, acme); return err },
		"redeem":        func(ctx context.Context) error { _, err := w.RedeemTicket(ctx, ticket); return err },
		"open":          func(ctx context.Context) error { return w.Open(ctx, c) },
		"connection":    func(ctx context.Context) error { _, err := w.Connection(ctx, c.ID); return err },
		"subscribe":     func(ctx context.Context) error { return w.Subscribe(ctx, c, demo) },
		"unsubscribe":   func(ctx context.Context) error { return w.Unsubscribe(ctx, c, demo) },
		"subscriptions": func(ctx context.Context) error { _, err := w.Subscriptions(ctx, c); return err },
		"subscribers": func(ctx context.Context) error {
			_, err := w.Subscribers(ctx, eventstore.Stream{Tenant: "acme", Session: "demo"})
			return err
		},
		"forget": func(ctx context.Context) error { return w.Forget(ctx, c.ID) },
	} {
		w.faulty(down)
		err := call(t.Context())
		var cause smithy.APIError
		if f := fault.Of(err); f.Code != fault.Unavailable || !errors.As(err, &cause) || strings.Contains(f.Message, "InternalServerError") {
			t.Errorf("%s: %v, want %s that wraps its cause and does not show it", name, err, fault.Unavailable)
		}
		w.healed()
		if err := call(ended); !errors.Is(err, context.Canceled) || fault.Of(err).Code != fault.Unavailable {
			t.Errorf("%s, cancelled: %v, want %s", name, err, fault.Unavailable)
		}
	}
}

func TestWhatWasStoredAndNotAnsweredIsNotDoneTwice(t *testing.T) {
	w := newWorld(t)
	c := w.open(t, "c1=", acme)
	lost := func(string) *dynamodb.Fault { return &dynamodb.Fault{Error: dynamodb.Internal, AnswerLost: true} }
	for _, step := range []struct {
		name string
		do   func(context.Context, connection.Connection, connection.Subscription) error
		want string
	}{{"subscribe", w.Subscribe, "N 1"}, {"unsubscribe", w.Unsubscribe, "N 0"}} {
		w.faulty(lost)
		wants(t, step.name+", the answer lost", step.do(t.Context(), c, demo), fault.Unavailable)
		w.healed()
		wants(t, step.name+" again", step.do(t.Context(), c, demo), "")
		if got := w.rows(t)["connection#c1= connection"]["subscriptions"]; got != step.want {
			t.Errorf("%s: %s subscriptions are counted, want %s", step.name, got, step.want)
		}
	}
	ticket, _, err := w.IssueTicket(t.Context(), acme)
	try(t, err)
	w.faulty(lost)
	_, err = w.RedeemTicket(t.Context(), ticket)
	wants(t, "a redeem, the answer lost", err, fault.Unavailable)
	w.healed()
	_, err = w.RedeemTicket(t.Context(), ticket)
	wants(t, "the ticket again", err, fault.Unauthorized)
}
