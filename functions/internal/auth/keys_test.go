package auth_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
)

const key = "0123456789abcdef"

var now = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)

// table gives one item, whatever is asked for, and notes what was.
type table struct {
	item  map[string]types.AttributeValue
	err   error
	asked []*dynamodb.GetItemInput
}

func (f *table) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	f.asked = append(f.asked, in)
	return &dynamodb.GetItemOutput{Item: f.item}, f.err
}

func tenant(f *table, authorization string) (string, error) {
	k := &auth.Keys{Client: f, Table: "live", Now: func() time.Time { return now }}
	c, err := k.Caller(context.Background(), authorization)
	return c.Tenant, err
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// What is stored is what deployed tables hold: it must not change.
func TestStoredKeyIsItsHashAndNothingOfItself(t *testing.T) {
	want := map[string]types.AttributeValue{
		"pk":        text("key#9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f"),
		"sk":        text("key"),
		"kind":      text("key"),
		"tenant":    text("acme"),
		"createdAt": text("2026-01-02T03:04:05.678901Z"),
	}
	opts := cmp.AllowUnexported(types.AttributeValueMemberS{})
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".noSmithyDocumentSerde" }, cmp.Ignore())
	if d := cmp.Diff(want, auth.Item(key, "acme", now), opts, ignore); d != "" {
		t.Errorf("item (-want +got):\n%s", d)
	}
}

func TestAKeyIsLookedUpConsistentlyByItsHash(t *testing.T) {
	f := &table{item: auth.Item(key, "acme", now)}
	if got, err := tenant(f, "Bearer "+key); got != "acme" || err != nil {
		t.Fatalf("%q, %v; want acme", got, err)
	}
	in := f.asked[0]
	if *in.TableName != "live" || in.ConsistentRead == nil || !*in.ConsistentRead {
		t.Errorf("asked %+v, want a consistent read of live", in)
	}
	if pk := in.Key["pk"].(*types.AttributeValueMemberS).Value; pk != "key#9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f" {
		t.Errorf("asked for %s", pk)
	}
}

func TestRevokedKeysAreRefusedAtOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		at   types.AttributeValue
		ok   bool
	}{
		{"not revoked", nil, true},
		{"long ago", text("2020-01-01T00:00:00Z"), false},
		{"a moment ago", text("2026-01-02T03:04:05.678901233Z"), false},
		{"now", text("2026-01-02T03:04:05.678901234Z"), false},
		{"in a moment", text("2026-01-02T03:04:05.678901235Z"), true},
		{"some day", text("2030-01-01T00:00:00.000000Z"), true},
		{"now, elsewhere on earth", text("2026-01-02T05:04:05.678901234+02:00"), false},
		{"empty", text(""), false},
		{"no time", text("tomorrow"), false},
		{"a day without a time", text("2030-01-01"), false},
		{"a number", &types.AttributeValueMemberN{Value: "1893456000"}, false},
		{"null", &types.AttributeValueMemberNULL{Value: true}, false},
	} {
		item := auth.Item(key, "acme", now)
		if c.at != nil {
			item["revokedAt"] = c.at
		}
		got, err := tenant(&table{item: item}, "Bearer "+key)
		if c.ok && (got != "acme" || err != nil) || !c.ok && (got != "" || err == nil || fault.Of(err).Code != fault.Unauthorized) {
			t.Errorf("revoked %s: %q, %v; want in: %t", c.name, got, err, c.ok)
		}
	}
}

func TestEveryWrongKeyIsRefusedInTheSameWords(t *testing.T) {
	items := map[string]map[string]types.AttributeValue{
		"of nobody":                    nil,
		"of a row with no name":        {"pk": text("key#"), "tenant": text("")},
		"of no tenant":                 {"kind": text("key")},
		"of a tenant that is a number": {"tenant": &types.AttributeValueMemberN{Value: "7"}},
		"of a tenant that is no id":    {"tenant": text("acme#beta")},
	}
	var words string
	for name, item := range items {
		got, err := tenant(&table{item: item}, "Bearer "+key)
		if got != "" || err == nil || fault.Of(err).Code != fault.Unauthorized {
			t.Errorf("a key %s: %q, %v", name, got, err)
			continue
		}
		if words == "" {
			words = err.Error()
		}
		if err.Error() != words {
			t.Errorf("a key %s: %q is not %q", name, err, words)
		}
	}
	for _, header := range []string{"", " ", "Bearer", "Bearer ", key, "Basic " + key, "Bearer\t" + key, "Bearer " + key[1:], "Bearer " + strings.Repeat("k", 257), "Bearer" + key} {
		f := &table{item: auth.Item(key, "acme", now)}
		if got, err := tenant(f, header); got != "" || err == nil || err.Error() != words {
			t.Errorf("%.40q: %q, %v; want %q", header, got, err, words)
		}
		if len(f.asked) != 0 {
			t.Errorf("%.40q was looked up", header)
		}
	}
}

func TestBoundsOfAKeyAndCaseOfTheScheme(t *testing.T) {
	for _, header := range []string{"Bearer " + key, "bearer " + key, "BEARER " + key, "Bearer " + strings.Repeat("k", 256)} {
		if got, err := tenant(&table{item: auth.Item(key, "acme", now)}, header); got != "acme" || err != nil {
			t.Errorf("%.40q: %q, %v", header, got, err)
		}
	}
}

// A table that is down must not look as if the key were wrong: clients throw
// refused keys away.
func TestATableThatFailsIsUnavailableAndKeepsItsCause(t *testing.T) {
	cause := errors.New("ProvisionedThroughputExceededException on live")
	got, err := tenant(&table{item: auth.Item(key, "acme", now), err: cause}, "Bearer "+key)
	if f := fault.Of(err); got != "" || f.Code != fault.Unavailable || strings.Contains(f.Message, cause.Error()) {
		t.Errorf("%q, %v; want %s without its cause", got, err, fault.Unavailable)
	}
	if !errors.Is(err, cause) || strings.Contains(err.Error(), key) {
		t.Errorf("%v: the log needs the cause and must not have the key", err)
	}
}

func TestAKeysIDIsValidAsLongAsTheKeyIs(t *testing.T) {
	revoked := auth.Item(key, "acme", now)
	revoked["revokedAt"] = text("2026-01-02T03:04:05Z")
	for name, c := range map[string]struct {
		item map[string]types.AttributeValue
		err  error
		want fault.Code
	}{
		"valid": {item: auth.Item(key, "acme", now)}, "unknown": {want: fault.Unauthorized}, "revoked": {item: revoked, want: fault.Unauthorized},
		"out of reach": {err: errors.New("down"), want: fault.Unavailable},
	} {
		f := &table{item: c.item, err: c.err}
		k := &auth.Keys{Client: f, Table: "live", Now: func() time.Time { return now }}
		who, err := k.Caller(t.Context(), "Bearer "+key)
		again := k.Valid(t.Context(), auth.ID(key))
		if (err == nil) != (c.want == "") || err != nil && (fault.Of(err).Code != c.want || fault.Of(again).Code != c.want) || err == nil && (again != nil || who.Key != auth.ID(key)) {
			t.Errorf("%s: %+v, %v; then %v", name, who, err, again)
		}
		if d := cmp.Diff(f.asked[0].Key, f.asked[1].Key, cmp.AllowUnexported(types.AttributeValueMemberS{})); d != "" {
			t.Errorf("%s: they look at two rows: %s", name, d)
		}
	}
}
