package tenant_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/tenant"
)

// table gives one item, whatever is asked for, and counts.
type table struct {
	item  map[string]types.AttributeValue
	err   error
	asked []string
}

func (f *table) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	f.asked = append(f.asked, in.Key["pk"].(*types.AttributeValueMemberS).Value+" "+in.Key["sk"].(*types.AttributeValueMemberS).Value)
	return &dynamodb.GetItemOutput{Item: f.item}, f.err
}

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestATenantsRetentionIsReadOnceAMinute(t *testing.T) {
	f, now := &table{item: tenant.Item("acme", "90d", began)}, began
	s := &tenant.Settings{Client: f, Table: "live", Default: 7, Now: func() time.Time { return now }}
	want := func(seconds int64, asked int) {
		t.Helper()
		got, err := s.Retention(t.Context(), "acme")
		if got != seconds || err != nil || len(f.asked) != asked {
			t.Errorf("%d, %v, asked %d times; want %d, asked %d times", got, err, len(f.asked), seconds, asked)
		}
	}
	want(90*86400, 1)
	f.item = nil // set back
	now = now.Add(tenant.Fresh - 1)
	want(90*86400, 1)
	now = now.Add(1)
	want(7, 2)
	f.err = errors.New("down")
	now = now.Add(tenant.Fresh)
	want(7, 3) // as before
	f.item, f.err = tenant.Item("acme", "forever", began), nil
	want(0, 4)
	if f.asked[0] != "tenant#acme tenant" {
		t.Errorf("asked for %s", f.asked[0])
	}
}

// What cannot be read is not taken for the default: sessions would be deleted, or kept.
func TestARetentionThatCannotBeReadIsNotGuessed(t *testing.T) {
	down := errors.New("down")
	for name, c := range map[string]struct {
		f    table
		want fault.Code
	}{
		"down":     {table{err: down}, fault.Unavailable},
		"a number": {table{item: map[string]types.AttributeValue{"retention": &types.AttributeValueMemberN{Value: "3"}}}, fault.Internal},
		"no time":  {table{item: tenant.Item("acme", "soon", began)}, fault.Internal},
	} {
		s := &tenant.Settings{Client: &c.f, Table: "live", Now: func() time.Time { return began }}
		if got, err := s.Retention(t.Context(), "acme"); err == nil || fault.Of(err).Code != c.want || name == "down" && !errors.Is(err, down) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
}

// What is stored is what deployed tables hold: it must not change.
func TestStoredSettings(t *testing.T) {
	var all []string
	item := tenant.Item("acme", "90d", began)
	for _, name := range []string{"pk", "sk", "kind", "retention", "changedAt"} {
		all = append(all, item[name].(*types.AttributeValueMemberS).Value)
	}
	if got := strings.Join(all, " "); got != "tenant#acme tenant tenant 90d 2026-01-02T03:04:05.000000Z" || len(item) != 5 {
		t.Errorf("%s, %d attributes", got, len(item))
	}
}
