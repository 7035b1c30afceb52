package connection

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// keep is how long rows outlive what they stand for, before DynamoDB may delete
// them. A connection lives on for some minutes after the server wants to close it.
const keep = time.Hour

const subscriptionPrefix = "subscription#"

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func moment(t time.Time) string { return t.UTC().Format(event.TimeLayout) }

func optionalMoment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return moment(t)
}

func keyOf(partition, sort string) item { return item{"pk": text(partition), "sk": text(sort)} }

func connectionPartition(id string) string { return "connection#" + id }

func subscribersPartition(s eventstore.Stream) string {
	return "subscribers#" + s.Tenant + "#" + s.Session
}

func connectionKey(id string) item { return keyOf(connectionPartition(id), "connection") }

func subscriptionKey(id string, s Subscription) item {
	return keyOf(connectionPartition(id), subscriptionPrefix+s.Session+"#"+s.Operation)
}

func subscriberKey(id, tenant string, s Subscription) item {
	return keyOf(subscribersPartition(eventstore.Stream{Tenant: tenant, Session: s.Session}), id+"#"+s.Operation)
}

// row fills an item: its kind, when it may go, and the attributes that are not
// empty, as names and values in turn.
func row(key item, kind string, ends time.Time, attributes ...string) item {
	key["kind"] = text(kind)
	key["expires"] = number(ends.Add(keep).Unix())
	for n := 0; n < len(attributes); n += 2 {
		if attributes[n+1] != "" {
			key[attributes[n]] = text(attributes[n+1])
		}
	}
	return key
}

func connectionItem(c Connection) item {
	i := row(connectionKey(c.ID), "connection", c.ClosesAt,
		"tenant", c.Tenant, "key", c.Key, "session", c.Session, "openedAt", moment(c.OpenedAt), "closesAt", moment(c.ClosesAt))
	i["subscriptions"] = number(0)
	return i
}

func subscriptionItem(c Connection, s Subscription) item {
	return row(subscriptionKey(c.ID, s), "subscription", c.ClosesAt,
		"tenant", c.Tenant, "session", s.Session, "operation", s.Operation)
}

func subscriberItem(c Connection, s Subscription) item {
	return row(subscriberKey(c.ID, c.Tenant, s), "subscriber", c.ClosesAt,
		"connection", c.ID, "operation", s.Operation, "key", c.Key, "closesAt", moment(c.ClosesAt))
}
