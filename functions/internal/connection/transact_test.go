package connection_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

// crowd answers writes with errs, one after the other, and then with none. It
// holds no rows.
type crowd struct {
	*sdk.Client // what is not answered here must not be called
	errs        []error
	calls       int
}

func (c *crowd) next() error {
	c.calls++
	if len(c.errs) == 0 {
		return nil
	}
	err := c.errs[0]
	c.errs = c.errs[1:]
	return err
}

func (c *crowd) TransactWriteItems(context.Context, *sdk.TransactWriteItemsInput, ...func(*sdk.Options)) (*sdk.TransactWriteItemsOutput, error) {
	return &sdk.TransactWriteItemsOutput{}, c.next()
}

func (c *crowd) DeleteItem(context.Context, *sdk.DeleteItemInput, ...func(*sdk.Options)) (*sdk.DeleteItemOutput, error) {
	return &sdk.DeleteItemOutput{}, c.next()
}

func (c *crowd) Query(context.Context, *sdk.QueryInput, ...func(*sdk.Options)) (*sdk.QueryOutput, error) {
	return &sdk.QueryOutput{}, nil
}

func cancelled(codes ...string) error {
	err := &types.TransactionCanceledException{}
	for _, code := range codes {
		err.CancellationReasons = append(err.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return err
}

func times(n int, err error) (errs []error) {
	for range n {
		errs = append(errs, err)
	}
	return errs
}

// Many frames of one connection at the same time get in each other's way, which
// is nothing that a client should hear of.
func TestOthersInTheWayAreWaitedFor(t *testing.T) {
	const none, failed, conflict = "None", "ConditionalCheckFailed", "TransactionConflict"
	subscribe := func(ctx context.Context, t *connection.Table) error {
		return t.Subscribe(ctx, connection.Connection{ID: "c1=", Grant: acme}, demo)
	}
	unsubscribe := func(ctx context.Context, t *connection.Table) error {
		return t.Unsubscribe(ctx, connection.Connection{ID: "c1=", Grant: acme}, demo)
	}
	forget := func(ctx context.Context, t *connection.Table) error { return t.Forget(ctx, "c1=") }
	for name, c := range map[string]struct {
		do    func(context.Context, *connection.Table) error
		errs  []error
		calls int
		code  fault.Code
	}{
		"nobody":                        {subscribe, nil, 1, ""},
		"another at the count":          {subscribe, times(3, cancelled(conflict, none, none)), 4, ""},
		"another at a row, throttled":   {subscribe, times(7, cancelled(none, conflict, "ThrottlingError")), 8, ""},
		"for too long":                  {subscribe, times(20, cancelled(conflict, none, none)), 8, fault.Unavailable},
		"another hides what is there":   {subscribe, []error{cancelled(failed, conflict, none), cancelled(none, failed, none)}, 2, ""},
		"another for too long, hides":   {subscribe, times(20, cancelled(conflict, failed, none)), 8, fault.Unavailable},
		"a reason of tomorrow":          {subscribe, times(20, cancelled("Tomorrow", none, none)), 1, fault.Unavailable},
		"no reasons at all":             {subscribe, times(20, cancelled()), 1, fault.Unavailable},
		"another error":                 {subscribe, times(20, errors.New("refused")), 1, fault.Unavailable},
		"of an unsubscribe":             {unsubscribe, times(2, cancelled(conflict, none, none)), 3, ""},
		"of an unsubscribe, for long":   {unsubscribe, times(20, cancelled(conflict, failed, none)), 8, fault.Unavailable},
		"a subscribe under way, forget": {forget, times(2, &types.TransactionConflictException{}), 3, ""},
		"subscribes for long, forget":   {forget, times(20, &types.TransactionConflictException{}), 8, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, crowd := time.Now(), &crowd{errs: c.errs}
				wants(t, name, c.do(t.Context(), &connection.Table{Client: crowd, Name: "live", Now: time.Now}), c.code)
				if d := cmp.Diff(c.calls, crowd.calls); d != "" {
					t.Errorf("calls (-want +got):\n%s", d)
				}
				if waited := time.Since(began); waited > time.Second {
					t.Errorf("it waited %s, want a second at most", waited)
				}
			})
		})
	}
}

func TestACallerThatGivesUpIsNotMadeToWait(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	crowd := &crowd{errs: times(20, cancelled("TransactionConflict"))}
	end()
	err := (&connection.Table{Client: crowd, Name: "live", Now: time.Now}).Subscribe(ctx, connection.Connection{ID: "c1=", Grant: acme}, demo)
	wants(t, "subscribe", err, fault.Unavailable)
	if !errors.Is(err, context.Canceled) || crowd.calls > 2 {
		t.Errorf("%d calls, %v", crowd.calls, err)
	}
}
