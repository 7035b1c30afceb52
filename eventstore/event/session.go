package event

// SessionOpened is a session's first event.
type SessionOpened struct {
	// StreamID names the log: another one if the session's name is ever used
	// again after a deletion, so that a kept cursor cannot be misread.
	StreamID string `json:"streamId"`
	// Agent is the default for operations that name none; empty if a file opened the
	// session, then it is that of the first operation.
	Agent string `json:"agent"`
	// Parent is the call that the session exists for; absent for none.
	Parent *Parent `json:"parent,omitempty"`
}

// SessionRetained says how long the session is kept from now on.
type SessionRetained struct {
	// Seconds counts from the last thing that happens in it; 0 is for ever.
	Seconds int64 `json:"seconds"`
	// Own: for this session alone, whatever its tenant's setting is.
	Own bool `json:"own,omitempty"`
}

func (SessionRetained) EventType() string { return "session.retained" }
func (SessionRetained) EventVersion() int { return 1 }

// SessionDeleted is a session's last event. What the session consists of is erased
// after it; the commit that holds it stays for a year.
type SessionDeleted struct{}

func (SessionDeleted) EventType() string { return "session.deleted" }
func (SessionDeleted) EventVersion() int { return 1 }

func (SessionOpened) EventType() string { return "session.opened" }
func (SessionOpened) EventVersion() int { return 1 }
