package connection

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A client that subscribes to many sessions at once has its frames handled at the
// same time, and all of them change the count of its connection: DynamoDB lets one
// through and turns the others away, and the SDK does not send those again. So
// this waits up to 20, 40, 80, 160 ms and so on between tries, a second in all.
const (
	tries     = 8
	firstWait = 20 * time.Millisecond
	maxWait   = 200 * time.Millisecond
)

// busy are the reasons of a cancelled transaction that pass by themselves.
var busy = []string{"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}

// transact writes all of the items or none. The reasons are those of a cancelled
// transaction, in the order of the items; none if nothing is known.
func (t *Table) transact(ctx context.Context, items ...types.TransactWriteItem) ([]types.CancellationReason, error) {
	err := patiently(ctx, func() error {
		_, err := t.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
		return err
	})
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) && !inTheWay(err) {
		return cancelled.CancellationReasons, err
	}
	return nil, err
}

// failed reports whether the condition of one item was not met.
func failed(reasons []types.CancellationReason, n int) bool {
	return n < len(reasons) && aws.ToString(reasons[n].Code) == "ConditionalCheckFailed"
}

// patiently calls again while others are in the way.
func patiently(ctx context.Context, call func() error) error {
	wait := firstWait
	for try := 1; ; try++ {
		err := call()
		if !inTheWay(err) || try == tries {
			return err
		}
		timer := time.NewTimer(rand.N(wait))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(ctx.Err(), err)
		}
		wait = min(2*wait, maxWait)
	}
}

// inTheWay reports that nothing was written because of others.
func inTheWay(err error) bool {
	var conflict *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	switch {
	case errors.As(err, &conflict):
		return true
	case errors.As(err, &cancelled):
		return slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
			return slices.Contains(busy, aws.ToString(r.Code))
		})
	}
	return false
}
