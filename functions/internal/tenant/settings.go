package tenant

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/turn"
)

// Fresh is how long a setting that was read is used.
const Fresh = time.Minute

// most bounds the tenants that are remembered.
const most = 1000

// table is what Settings calls.
type table interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
}

// Settings reads them. It is safe for concurrent use.
type Settings struct {
	Client table
	Table  string
	// Default is the retention of tenants that have none, in seconds; 0 is for ever.
	Default int64
	Now     func() time.Time

	mu   sync.Mutex
	read map[string]reading
}

type reading struct {
	seconds int64
	at      time.Time
}

// Retention is how long a tenant's sessions are kept, in seconds; 0 is for ever. Errors
// are unavailable, and internal for a row that cannot be read: it is never guessed.
func (s *Settings) Retention(ctx context.Context, tenant string) (int64, error) {
	s.mu.Lock()
	known, ok := s.read[tenant]
	s.mu.Unlock()
	if ok && s.Now().Sub(known.at) < Fresh {
		return known.seconds, nil
	}
	seconds, err := s.look(ctx, tenant)
	switch {
	case err != nil && ok:
		slog.WarnContext(ctx, "a tenant's settings could not be read; those of before are used", "tenant", tenant, "error", err)
		return known.seconds, nil
	case err != nil:
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read == nil || len(s.read) >= most {
		s.read = map[string]reading{}
	}
	s.read[tenant] = reading{seconds, s.Now()}
	return seconds, nil
}

func (s *Settings) look(ctx context.Context, tenant string) (int64, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.Table, Key: key(tenant)})
	if err != nil {
		return 0, fmt.Errorf("tenant: %w: %w", fault.New(fault.Unavailable, "the tenant's settings could not be read; send the same request again"), err)
	}
	text, ok := out.Item["retention"].(*types.AttributeValueMemberS)
	switch {
	case out.Item["retention"] == nil:
		return s.Default, nil
	case !ok:
		return 0, fmt.Errorf("tenant: the retention of %s is no text; set it again", tenant)
	}
	seconds, err := turn.ParseRetention(text.Value)
	if err != nil {
		return 0, fmt.Errorf("tenant: %s: %w", tenant, err)
	}
	return seconds, nil
}

// Item is the row of a tenant whose sessions are kept for so long, as
// [turn.ParseRetention] reads it.
func Item(tenant, retention string, now time.Time) map[string]types.AttributeValue {
	item := key(tenant)
	item["kind"] = &types.AttributeValueMemberS{Value: "tenant"}
	item["retention"] = &types.AttributeValueMemberS{Value: retention}
	item["changedAt"] = &types.AttributeValueMemberS{Value: event.At(now).UTC().Format(event.TimeLayout)}
	return item
}

func key(tenant string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "tenant#" + tenant},
		"sk": &types.AttributeValueMemberS{Value: "tenant"},
	}
}
