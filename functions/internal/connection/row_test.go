package connection_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

// Two builds share the table while one replaces the other.
func TestRowsAreAsTheyWere(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.IssueTicket(t.Context(), connection.Grant{Tenant: "acme", Key: "key-1", Session: "demo"})
	try(t, err)
	c := w.open(t, "Xa+/b=", acme)
	try(t, w.Subscribe(t.Context(), c, demo))
	try(t, w.Subscribe(t.Context(), c, op))
	want := map[string]map[string]string{
		"ticket# ticket":                           {"kind": "ticket", "tenant": "acme", "key": "key-1", "session": "demo", "expiresAt": "2026-01-02T03:04:35.678901Z", "expires": "N 1767326675"},
		"connection#Xa+/b= connection":             {"kind": "connection", "tenant": "acme", "key": "key-1", "openedAt": "2026-01-02T03:04:05.678901Z", "closesAt": "2026-01-02T04:54:05.678901Z", "subscriptions": "N 2", "expires": "N 1767333245"},
		"connection#Xa+/b= subscription#demo#":     {"kind": "subscription", "tenant": "acme", "session": "demo", "expires": "N 1767333245"},
		"connection#Xa+/b= subscription#demo#op-1": {"kind": "subscription", "tenant": "acme", "session": "demo", "operation": "op-1", "expires": "N 1767333245"},
		"subscribers#acme#demo Xa+/b=#":            {"kind": "subscriber", "connection": "Xa+/b=", "key": "key-1", "closesAt": "2026-01-02T04:54:05.678901Z", "expires": "N 1767333245"},
		"subscribers#acme#demo Xa+/b=#op-1":        {"kind": "subscriber", "connection": "Xa+/b=", "key": "key-1", "operation": "op-1", "closesAt": "2026-01-02T04:54:05.678901Z", "expires": "N 1767333245"},
	}
	got := map[string]map[string]string{}
	for key, row := range w.rows(t) {
		if hash, ok := strings.CutPrefix(strings.TrimSuffix(key, " ticket"), "ticket#"); ok && len(hash) == 64 {
			key = "ticket# ticket"
		}
		got[key] = row
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// damage changes one attribute of every row of a kind; nil takes it away.
func (w *world) damage(t *testing.T, kind, name string, to types.AttributeValue) {
	t.Helper()
	out, err := w.client.Scan(t.Context(), &sdk.ScanInput{TableName: aws.String("live")})
	try(t, err)
	for _, i := range out.Items {
		if i["kind"].(*types.AttributeValueMemberS).Value != kind {
			continue
		}
		if i[name] = to; to == nil {
			delete(i, name)
		}
		_, err := w.client.PutItem(t.Context(), &sdk.PutItemInput{TableName: aws.String("live"), Item: i})
		try(t, err)
	}
}

// Half a row must not become somebody's connection, or nobody's.
func TestADamagedRowGrantsNothing(t *testing.T) {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	ways := map[string]types.AttributeValue{"missing": nil, "a number": &types.AttributeValueMemberN{Value: "7"}, "empty": text("")}
	wrongTime := map[string]types.AttributeValue{"no time": text("tomorrow")}
	for _, c := range []struct {
		kind, name string
		more       map[string]types.AttributeValue
		code       fault.Code
	}{
		{"ticket", "tenant", map[string]types.AttributeValue{"no id": text("a#b")}, fault.Unauthorized},
		{"ticket", "key", nil, fault.Unauthorized},
		{"connection", "tenant", nil, fault.Internal},
		{"connection", "key", nil, fault.Internal},
		{"connection", "openedAt", wrongTime, fault.Internal},
		{"connection", "closesAt", wrongTime, fault.Internal},
		{"connection", "expires", map[string]types.AttributeValue{"no number": text("9999999999")}, fault.NotFound},
		{"subscription", "session", nil, fault.Internal},
		{"subscription", "tenant", nil, fault.Internal},
	} {
		for _, set := range []map[string]types.AttributeValue{ways, c.more} {
			for way, value := range set {
				w := newWorld(t)
				ticket, _, err := w.IssueTicket(t.Context(), acme)
				try(t, err)
				conn := w.open(t, "c1=", acme)
				try(t, w.Subscribe(t.Context(), conn, demo))
				w.damage(t, c.kind, c.name, value)
				var got any
				switch c.kind {
				case "ticket":
					got, err = w.RedeemTicket(t.Context(), ticket)
				case "connection":
					got, err = w.Connection(t.Context(), conn.ID)
				case "subscription":
					got, err = w.Subscriptions(t.Context(), conn)
				}
				if err == nil || fault.Of(err).Code != c.code {
					t.Errorf("%s, %s is %s: %+v, %v; want %s", c.kind, c.name, way, got, err, c.code)
				}
			}
		}
	}
}

// One row that cannot be read, a newer build's perhaps, must not silence the others.
func TestADamagedSubscriberIsPassedOver(t *testing.T) {
	for name, value := range map[string]types.AttributeValue{
		"connection": nil, "key": nil, "closesAt": &types.AttributeValueMemberS{Value: "tomorrow"},
	} {
		w := newWorld(t)
		try(t, w.Subscribe(t.Context(), w.open(t, "c1=", acme), demo))
		w.damage(t, "subscriber", name, value)
		try(t, w.Subscribe(t.Context(), w.open(t, "c2=", acme), demo))
		got, err := w.Subscribers(t.Context(), eventstore.Stream{Tenant: "acme", Session: "demo"})
		if err != nil || len(got) != 1 || got[0].Connection != "c2=" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
