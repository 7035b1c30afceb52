package view

import (
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// Session is a session as its head tells it: true as of AsOfSeq.
type Session struct {
	SessionID string `json:"sessionId"`
	StreamID  string `json:"streamId"`
	// Agent is that of operations that name none; empty until the first one.
	Agent    string     `json:"agent"`
	OpenedAt event.Time `json:"openedAt"`
	AsOfSeq  uint64     `json:"asOfSeq"`
	// Unsettled counts the operations that have not ended.
	Unsettled int `json:"unsettled"`
	// Retention is how long it is kept after the last thing that happened in it, such as
	// 30d, or forever; ExpiresAt when it will be deleted if nothing happens before, absent
	// for never and while anything is not settled.
	Retention string      `json:"retention"`
	ExpiresAt *event.Time `json:"expiresAt,omitempty"`
	// Usage is what all its operations have used so far.
	Usage event.Usage `json:"usage"`
}

// SessionOf shows a session by its head.
func SessionOf(id string, head turn.Summary, asOf uint64, opened event.Time) Session {
	s := Session{
		SessionID: id, StreamID: head.StreamID, Agent: head.Agent, OpenedAt: opened,
		AsOfSeq: asOf, Unsettled: head.Unsettled, Retention: head.Retention.String(), Usage: head.Spent,
	}
	if at := head.ExpiresAt; !at.IsZero() {
		s.ExpiresAt = &at
	}
	if s.Usage == (event.Usage{}) {
		s.Usage.CostUSD = event.NoUSD
	}
	return s
}
