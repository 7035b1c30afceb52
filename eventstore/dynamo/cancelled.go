package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
)

// Codes of cancellation reasons.
const (
	reasonNone      = "None"
	reasonCondition = "ConditionalCheckFailed"
)

// reasonCodes are those that no condition decides.
var reasonCodes = map[string]eventstore.Code{
	"TransactionConflict":             eventstore.Throttled,
	"ThrottlingError":                 eventstore.Throttled,
	"ProvisionedThroughputExceeded":   eventstore.Throttled,
	"ItemCollectionSizeLimitExceeded": eventstore.TooLarge,
	"ValidationError":                 eventstore.Invalid,
	"AccessDenied":                    eventstore.Denied,
}

// cancelled reads every reason of a transaction that stored nothing. The order
// matters: our own commit at the place means that an earlier copy was stored;
// then a taken claim decides for good, then a taken place; only if no condition
// failed may throttles and other transactions in the way be waited for.
func (d *Driver) cancelled(ctx context.Context, w eventstore.Write, err *types.TransactionCanceledException) error {
	reasons := err.CancellationReasons
	var claim *types.CancellationReason
	if w.Claim != nil && len(reasons) > 0 {
		claim, reasons = &reasons[0], reasons[1:]
	}
	if claim != nil && aws.ToString(claim.Code) == reasonCondition {
		return d.claimed(ctx, w, *claim, first(reasons))
	}
	if commit := first(reasons); aws.ToString(commit.Code) == reasonCondition {
		return d.conflict(ctx, w.Record, commit.Item)
	}
	return worst(err)
}

func first(reasons []types.CancellationReason) types.CancellationReason {
	if len(reasons) == 0 {
		return types.CancellationReason{}
	}
	return reasons[0]
}

// claimed reports who holds the claim, and who stands at the place. That is
// looked up even if the commit's own reason is silent: a claim that was stored
// for this very place may be our own, and then so is the commit.
func (d *Driver) claimed(ctx context.Context, w eventstore.Write, claim, commit types.CancellationReason) error {
	old, err := d.standing(ctx, eventstore.ClaimKey(w.Record.Stream, w.Claim.Key), claim.Item)
	if err != nil {
		return err
	}
	row, err := readRow(old)
	if err != nil {
		return err
	}
	existing, err := eventstore.DecodeClaim(row.Data)
	if err != nil {
		return err
	}
	standing := commit.Item
	if len(standing) == 0 && (aws.ToString(commit.Code) == reasonCondition || existing.First == w.Claim.First) {
		if standing, err = d.get(ctx, recordKey(w.Record.Stream, w.Record.First)); err != nil {
			return err
		}
	}
	if len(standing) == 0 {
		return &eventstore.Claimed{Existing: existing}
	}
	record, err := readRecord(standing)
	if err != nil {
		return err
	}
	if record.ID == w.Record.ID {
		return &eventstore.Conflict{Existing: record}
	}
	return &eventstore.Claimed{Existing: existing, Commit: &record}
}

// worst is the answer to a cancelled transaction in which no condition failed: a
// reason that is permanent if there is one, else that it may be sent again.
func worst(err *types.TransactionCanceledException) error {
	code := eventstore.Unavailable
	for _, r := range err.CancellationReasons {
		switch c, known := reasonCodes[aws.ToString(r.Code)]; {
		case aws.ToString(r.Code) == reasonNone:
		case !known: // a code of tomorrow: nothing is known
		case c != eventstore.Throttled:
			return eventstore.Errorf(sized(c, aws.ToString(r.Message)), "append", "%s: %s: %w", aws.ToString(r.Code), aws.ToString(r.Message), err)
		default:
			code = c
		}
	}
	return eventstore.Errorf(code, "append", "%w", err)
}
