package index

import (
	"encoding/json"
	"fmt"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// PromptPreview is how much of a prompt a row shows, in characters.
const PromptPreview = 4096

// Statuses of an operation, as clients see them.
const (
	Queued    = "queued"
	Running   = "running"
	Completed = "completed"
	Failed    = "failed"
	Cancelled = "cancelled"
	// Waiting is a running operation that waits for a person; no row says so.
	Waiting = "waiting"
)

// Operation is an operation's row. While it runs, the head's summary says more.
type Operation struct {
	ID          string       `json:"operationId"`
	Agent       string       `json:"agent"`
	Status      string       `json:"status"`
	Prompt      string       `json:"prompt"`
	PromptBytes int64        `json:"promptBytes"`
	FirstSeq    uint64       `json:"firstSeq"`
	LastSeq     uint64       `json:"lastSeq"`
	Round       int          `json:"round"`
	AcceptedAt  event.Time   `json:"acceptedAt"`
	StartedAt   *event.Time  `json:"startedAt,omitempty"`
	SettledAt   *event.Time  `json:"settledAt,omitempty"`
	Error       *event.Error `json:"error,omitempty"`
	TraceID     string       `json:"traceId,omitempty"`
	Usage       event.Usage  `json:"usage"`
}

// OperationKey is where the row of the operation accepted at firstSeq stands.
func OperationKey(s eventstore.Stream, firstSeq uint64) eventstore.RowKey {
	return eventstore.RowKey{Partition: OperationPartition(s), Sort: eventstore.SeqKey(firstSeq)}
}

// OperationPartition is where a session's operation rows stand, in the order in
// which the operations were accepted.
func OperationPartition(s eventstore.Stream) string { return s.Tenant + "#" + s.Session + "#operation" }

// OperationRow is the row of o.
func OperationRow(s eventstore.Stream, o Operation) eventstore.Row {
	return row(OperationKey(s, o.FirstSeq), "operation", o)
}

// DecodeOperation reads an operation's row.
func DecodeOperation(r eventstore.Row) (Operation, error) {
	var o Operation
	if err := json.Unmarshal(r.Data, &o); err != nil || o.FirstSeq == 0 {
		return Operation{}, eventstore.Errorf(eventstore.Corrupt, "operation row", "%s %s: %v", r.Partition, r.Sort, err)
	}
	return o, nil
}

// Preview cuts a prompt to what a row shows.
func Preview(prompt string) string { return First(prompt, PromptPreview) }

// First cuts a text to its first characters.
func First(prompt string, characters int) string {
	if len(prompt) <= characters {
		return prompt
	}
	n := 0
	for i := range prompt {
		if n == characters {
			return prompt[:i]
		}
		n++
	}
	return prompt
}

func row(key eventstore.RowKey, kind string, v any) eventstore.Row {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("index: %s: %v", kind, err)) // plain values only
	}
	return eventstore.Row{RowKey: key, Kind: kind, Data: b}
}
