package event

// MessageSteered adds to what a turn was asked: the model reads it with its next
// round.
type MessageSteered struct {
	Text Value `json:"text"`
	// Fingerprint is what a repeated request is compared with.
	Fingerprint string `json:"fingerprint"`
}

func (MessageSteered) EventType() string { return "message.steered" }
func (MessageSteered) EventVersion() int { return 1 }
