package dynamo

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
)

func reason(code string, shown item) types.CancellationReason {
	return types.CancellationReason{Code: aws.String(code), Message: aws.String("message of " + code), Item: shown}
}

func cancelledBy(reasons ...types.CancellationReason) error {
	return &types.TransactionCanceledException{Message: aws.String("cancelled"), CancellationReasons: reasons}
}

var (
	ours   = eventstore.Write{Record: full(), Claim: &eventstore.Claim{Key: "op-1", Fingerprint: "f", First: 7}, Rows: []eventstore.Row{{RowKey: eventstore.RowKey{Partition: "p", Sort: "s"}, Kind: "test", Data: []byte("{}")}}}
	theirs = func() eventstore.Record { r := full(); r.ID = "01JGK3SR00000000000000000B"; return r }()
	early  = eventstore.Claim{Key: "op-1", Fingerprint: "g", First: 2}
	here   = eventstore.Claim{Key: "op-1", Fingerprint: "g", First: 7}
)

// The answer is one for each set of reasons, whether or not the old items are
// shown: what is not shown is read back.
func TestEveryReasonOfACancelledTransactionIsRead(t *testing.T) {
	const none, failed = reasonNone, reasonCondition
	for name, c := range map[string]struct {
		claim, commit, row string
		holder             *eventstore.Claim
		standing           *eventstore.Record
		want               string
	}{
		"our own commit stands there":                {none, failed, none, nil, &ours.Record, "conflict with ourselves"},
		"our own commit, the claim is seen too":      {failed, failed, none, ours.Claim, &ours.Record, "conflict with ourselves"},
		"our own commit, seen by its claim alone":    {failed, none, none, ours.Claim, &ours.Record, "conflict with ourselves"},
		"our own commit, others are in the way":      {"TransactionConflict", failed, "ThrottlingError", nil, &ours.Record, "conflict with ourselves"},
		"a claim from before":                        {failed, none, none, &early, nil, "claimed"},
		"a claim from before and a taken place":      {failed, failed, none, &early, &theirs, "claimed, place taken"},
		"a claim of this very place":                 {failed, none, none, &here, &theirs, "claimed, place taken"},
		"a claim from before, others are in the way": {failed, "TransactionConflict", "ThrottlingError", &early, nil, "claimed"},
		"a taken place":                              {none, failed, none, nil, &theirs, "conflict"},
		"a taken place, others are in the way":       {"TransactionConflict", failed, "ProvisionedThroughputExceeded", nil, &theirs, "conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, shown := range []bool{true, false} {
				s := &stub{}
				reasons := []types.CancellationReason{reason(c.claim, nil), reason(c.commit, nil), reason(c.row, nil)}
				if c.holder != nil {
					s.items = append(s.items, claimItem(golden, *c.holder))
					if shown {
						reasons[0].Item = claimItem(golden, *c.holder)
					}
				}
				if c.standing != nil {
					s.items = append(s.items, recordItem(*c.standing))
					if shown && c.commit == failed {
						reasons[1].Item = recordItem(*c.standing)
					}
				}
				s.err = cancelledBy(reasons...)
				if got := described(New(s, "log").Append(t.Context(), ours)); got != c.want {
					t.Errorf("old items shown %v: %s, want %s", shown, got, c.want)
				}
			}
		})
	}
}

func described(err error) string {
	var lost *eventstore.Conflict
	var claimed *eventstore.Claimed
	switch {
	case errors.As(err, &lost) && lost.Existing.ID == ours.Record.ID:
		return "conflict with ourselves"
	case errors.As(err, &lost):
		return "conflict"
	case errors.As(err, &claimed) && claimed.Commit != nil:
		return "claimed, place taken"
	case errors.As(err, &claimed):
		return "claimed"
	case err == nil:
		return "stored"
	default:
		return string(eventstore.CodeOf(err))
	}
}

func TestReasonsThatNoConditionDecides(t *testing.T) {
	none := reason(reasonNone, nil)
	oversize := types.CancellationReason{Code: aws.String("ValidationError"), Message: aws.String("Item size to update has exceeded the maximum allowed size")}
	for name, c := range map[string]struct {
		err  error
		want eventstore.Code
	}{
		"another transaction":         {cancelledBy(none, reason("TransactionConflict", nil), none), eventstore.Throttled},
		"another at the claim":        {cancelledBy(reason("TransactionConflict", nil), none, none), eventstore.Throttled},
		"another at a row":            {cancelledBy(none, none, reason("TransactionConflict", nil)), eventstore.Throttled},
		"throttling":                  {cancelledBy(none, none, reason("ThrottlingError", nil)), eventstore.Throttled},
		"throughput":                  {cancelledBy(none, reason("ProvisionedThroughputExceeded", nil), none), eventstore.Throttled},
		"collection size":             {cancelledBy(none, reason("ItemCollectionSizeLimitExceeded", nil), none), eventstore.TooLarge},
		"validation":                  {cancelledBy(none, none, reason("ValidationError", nil)), eventstore.Invalid},
		"item size":                   {cancelledBy(none, oversize, none), eventstore.TooLarge},
		"permanent beside throttling": {cancelledBy(none, reason("ThrottlingError", nil), oversize), eventstore.TooLarge},
		"access":                      {cancelledBy(none, none, reason("AccessDenied", nil)), eventstore.Denied},
		"a code of tomorrow":          {cancelledBy(none, reason("Tomorrow", nil), none), eventstore.Unavailable},
		"no reason at all":            {cancelledBy(), eventstore.Unavailable},
		"only None":                   {cancelledBy(none, none, none), eventstore.Unavailable},
	} {
		err := New(&stub{err: c.err}, "log").Append(t.Context(), ours)
		if eventstore.CodeOf(err) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %s with its cause", name, err, c.want)
		}
	}
	for code := range reasonCodes {
		if err := New(&stub{err: cancelledBy(none, reason(code, nil))}, "log").Append(t.Context(), ours); eventstore.CodeOf(err) != reasonCodes[code] {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// A condition that failed on an item that is gone when it is read back tells
// nothing about our commit.
func TestAbsentReadBackProvesNothing(t *testing.T) {
	alone := eventstore.Write{Record: full()}
	for name, c := range map[string]struct {
		w   eventstore.Write
		err error
	}{
		"put":    {alone, &types.ConditionalCheckFailedException{}},
		"commit": {ours, cancelledBy(reason(reasonNone, nil), reason(reasonCondition, nil))},
		"claim":  {ours, cancelledBy(reason(reasonCondition, nil), reason(reasonNone, nil))},
	} {
		for _, read := range []error{nil, errors.New("no route")} {
			err := New(&stub{err: c.err, read: read}, "log").Append(t.Context(), c.w)
			if err == nil || eventstore.CodeOf(err) != eventstore.Unavailable {
				t.Errorf("%s: %v, want %s", name, err, eventstore.Unavailable)
			}
		}
	}
}

func TestOldItemThatIsNotShownIsReadBack(t *testing.T) {
	for _, shown := range []item{nil, recordItem(theirs)} {
		s := &stub{err: &types.ConditionalCheckFailedException{Item: shown}, items: []item{recordItem(theirs)}}
		var lost *eventstore.Conflict
		if err := New(s, "log").Append(t.Context(), eventstore.Write{Record: full()}); !errors.As(err, &lost) || lost.Existing.ID != theirs.ID {
			t.Errorf("%v, want a conflict with %s", err, theirs.ID)
		}
		if want := 1 - min(len(shown), 1); len(s.gets) != want {
			t.Errorf("%d reads, want %d", len(s.gets), want)
		}
	}
}
