package dynamo

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
)

// Every error comes out the same from every call.
func TestEveryErrorHasItsCode(t *testing.T) {
	api := func(code string) error { return &smithy.GenericAPIError{Code: code, Message: "m"} }
	want := map[eventstore.Code][]error{
		eventstore.Throttled: {api("TransactionConflictException"), api("RequestLimitExceeded"), api("ProvisionedThroughputExceededException"), api("ThrottlingException"), api("ReplicatedWriteConflictException")},
		eventstore.Unavailable: {api("TransactionInProgressException"), api("InternalServerError"), api("ServiceUnavailable"), api("ResourceNotFoundException"), api("Tomorrow"),
			io.ErrUnexpectedEOF, &net.OpError{Op: "dial", Err: errors.New("refused")}, context.DeadlineExceeded, context.Canceled},
		eventstore.Invalid: {api("ValidationException"), api("SerializationException")},
		eventstore.TooLarge: {api("ItemCollectionSizeLimitExceededException"), api("RequestEntityTooLargeException"),
			&smithy.GenericAPIError{Code: "ValidationException", Message: "Item size has exceeded the maximum allowed size"}},
		eventstore.Denied: {api("AccessDeniedException"), api("UnrecognizedClientException"), api("InvalidSignatureException"), api("IncompleteSignatureException"), api("MissingAuthenticationTokenException"), api("ExpiredTokenException")},
	}
	seen := map[string]bool{"Tomorrow": true}
	for code, causes := range want {
		for _, cause := range causes {
			var a smithy.APIError
			if errors.As(cause, &a) {
				seen[a.ErrorCode()] = true
			}
			d := New(&stub{err: cause, read: cause}, "log")
			_, _, row := d.Row(t.Context(), eventstore.ClaimKey(golden, "k"))
			_, _, rows := d.Rows(t.Context(), eventstore.RowQuery{Partition: "p", Limit: 1})
			_, _, records := d.Records(t.Context(), eventstore.RecordQuery{Stream: golden, From: 1, Limit: 1})
			for call, err := range map[string]error{"put": d.Append(t.Context(), eventstore.Write{Record: full()}), "transact": d.Append(t.Context(), ours), "row": row, "rows": rows, "records": records} {
				if eventstore.CodeOf(err) != code || !errors.Is(err, cause) {
					t.Errorf("%s: %v: got %v, want %s with its cause", call, cause, err, code)
				}
			}
		}
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		if !seen[code] {
			t.Errorf("%s is classified and not tested", code)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The SDK's own retry would turn a stored write into a lost race.
func TestTheSDKNeverRetries(t *testing.T) {
	for name, cfg := range map[string]aws.Config{
		"by default": {}, "if the environment wants 7 attempts": {RetryMaxAttempts: 7, RetryMode: aws.RetryModeStandard},
	} {
		sent := 0
		cfg.Region, cfg.Credentials = "us-east-1", aws.AnonymousCredentials{}
		cfg.HTTPClient = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			sent++
			return nil, io.ErrUnexpectedEOF
		})}
		d := New(dynamodb.NewFromConfig(cfg, Options), "log")
		err := d.Append(t.Context(), eventstore.Write{Record: full()})
		if sent != 1 || eventstore.CodeOf(err) != eventstore.Unavailable {
			t.Errorf("%s: sent %d times, %v", name, sent, err)
		}
	}
}

func TestTransactionOrderIsFixedAndHasNoToken(t *testing.T) {
	s := &stub{}
	w := ours
	w.Rows = append(slices.Clone(w.Rows), eventstore.Row{RowKey: eventstore.RowKey{Partition: "p", Sort: "gone"}, Kind: "test"})
	if err := New(s, "log").Append(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if s.tx.ClientRequestToken != nil {
		t.Errorf("token %q: a repeated request is not the same bytes", *s.tx.ClientRequestToken)
	}
	var got []string
	for _, i := range s.tx.TransactItems {
		switch {
		case i.Delete != nil:
			got = append(got, "delete "+value(i.Delete.Key[attrSK]))
		default:
			got = append(got, "put "+value(i.Put.Item[attrKind])+" if "+aws.ToString(i.Put.ConditionExpression)+" "+string(i.Put.ReturnValuesOnConditionCheckFailure))
		}
	}
	want := []string{"put claim if attribute_not_exists(pk) ALL_OLD", "put commit if attribute_not_exists(pk) ALL_OLD", "put test if  ", "delete gone"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

func TestQueriesAreConsistentAndBounded(t *testing.T) {
	s := &stub{}
	d := New(s, "log")
	for _, c := range []struct {
		limit int
		want  *int32
	}{{1, aws.Int32(1)}, {math.MaxInt32 - 1, aws.Int32(math.MaxInt32 - 1)}, {math.MaxInt32, nil}, {math.MaxInt, nil}} {
		if _, _, err := d.Records(t.Context(), eventstore.RecordQuery{Stream: golden, From: 1, Limit: c.limit}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, s.query.Limit); d != "" || !aws.ToBool(s.query.ConsistentRead) {
			t.Errorf("limit %d, consistent %v: %s", c.limit, aws.ToBool(s.query.ConsistentRead), d)
		}
	}
}
