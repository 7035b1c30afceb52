package index

import (
	"encoding/json"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// Session is a session's row.
type Session struct {
	ID       string     `json:"sessionId"`
	StreamID string     `json:"streamId"`
	Agent    string     `json:"agent"`
	OpenedAt event.Time `json:"openedAt"`
}

// SessionRow is the row of a session; rows sort by when they were opened.
func SessionRow(tenant string, s Session) eventstore.Row {
	return row(eventstore.RowKey{
		Partition: SessionPartition(tenant),
		Sort:      s.OpenedAt.UTC().Format(event.TimeLayout) + "#" + s.ID,
	}, "session", s)
}

// SessionPartition is where a tenant's session rows stand.
func SessionPartition(tenant string) string { return tenant + "#session" }

// DecodeSession reads a session's row.
func DecodeSession(r eventstore.Row) (Session, error) {
	var s Session
	if err := json.Unmarshal(r.Data, &s); err != nil || s.ID == "" {
		return Session{}, eventstore.Errorf(eventstore.Corrupt, "session row", "%s %s: %v", r.Partition, r.Sort, err)
	}
	return s, nil
}
