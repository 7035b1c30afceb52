package connection

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore/event"
)

// expired: what cannot be read counts as past.
func expired(i item, now time.Time) bool {
	n, ok := i["expires"].(*types.AttributeValueMemberN)
	if !ok {
		return true
	}
	second, err := strconv.ParseInt(n.Value, 10, 64)
	return err != nil || second <= now.Unix()
}

// fields reads attributes and remembers the first that is not as it must be.
// Attributes that it is not asked for are a newer build's.
type fields struct {
	item item
	bad  string
}

func (f *fields) optional(name string) string {
	s, ok := f.item[name].(*types.AttributeValueMemberS)
	if ok {
		return s.Value
	}
	if f.item[name] != nil {
		f.bad = name
	}
	return ""
}

func (f *fields) text(name string) string {
	s := f.optional(name)
	if s == "" {
		f.bad = name
	}
	return s
}

func (f *fields) time(name string) time.Time {
	t, err := time.Parse(event.TimeLayout, f.text(name))
	if err != nil {
		f.bad = name
	}
	return t
}

func (f *fields) optionalTime(name string) time.Time {
	if f.item[name] == nil {
		return time.Time{}
	}
	return f.time(name)
}

func (f *fields) err() error {
	if f.bad == "" {
		return nil
	}
	return fmt.Errorf("connection: row %q of the live table: attribute %s is missing or wrong", f.optional("pk"), f.bad)
}

func readConnection(id string, i item) (Connection, error) {
	f := fields{item: i}
	c := Connection{ID: id, Grant: f.grant(), OpenedAt: f.time("openedAt"), ClosesAt: f.time("closesAt")}
	return c, f.err()
}

func (f *fields) grant() Grant {
	return Grant{Tenant: f.text("tenant"), Key: f.text("key"), Session: f.optional("session"), Until: f.optionalTime("until")}
}

func readSubscription(i item) (s Subscription, tenant string, err error) {
	f := fields{item: i}
	s = Subscription{Session: f.text("session"), Operation: f.optional("operation")}
	tenant = f.text("tenant")
	return s, tenant, f.err()
}

func readSubscriber(i item) (Subscriber, error) {
	f := fields{item: i}
	s := Subscriber{Connection: f.text("connection"), Key: f.text("key"), Operation: f.optional("operation"), ClosesAt: f.time("closesAt")}
	return s, f.err()
}
