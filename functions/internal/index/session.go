package index

import (
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
		Partition: tenant + "#session",
		Sort:      s.OpenedAt.UTC().Format(event.TimeLayout) + "#" + s.ID,
	}, "session", s)
}
