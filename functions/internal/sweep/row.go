package sweep

import (
	"encoding/json"
	"fmt"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
)

// Linger is how long after a deletion something may still be put: an invocation lasts 15
// minutes at most, and an upload may begin for as long and then takes its time.
const Linger = time.Hour

const kind = "deleted"

// deleted is a row's data.
type deleted struct {
	Tenant   string     `json:"tenant"`
	Session  string     `json:"session"`
	OpenedAt event.Time `json:"openedAt"`
	At       event.Time `json:"deletedAt"`
	Last     bool       `json:"last,omitempty"`
}

func (d deleted) stream() eventstore.Stream {
	return eventstore.Stream{Tenant: d.Tenant, Session: d.Session}
}

// Rows are what the commit that deletes a session puts besides.
func Rows(s eventstore.Stream, opened event.Time, now time.Time) []eventstore.Row {
	d := deleted{Tenant: s.Tenant, Session: s.Session, OpenedAt: opened, At: event.At(now)}
	last := d
	last.Last = true
	return []eventstore.Row{d.row(), last.row()}
}

func (d deleted) row() eventstore.Row {
	data, err := json.Marshal(d)
	if err != nil {
		panic(fmt.Sprintf("sweep: %v", err)) // plain values only
	}
	due := d.At.Time
	if d.Last {
		due = due.Add(Linger)
	}
	return eventstore.Row{
		RowKey: eventstore.RowKey{Partition: partition(index.Shard(d.stream())), Sort: moment(due) + "#" + d.Tenant + "#" + d.Session},
		Kind:   kind, Data: data,
	}
}

func read(r eventstore.Row) (deleted, error) {
	var d deleted
	if err := json.Unmarshal(r.Data, &d); err != nil || d.Tenant == "" || d.Session == "" || d.At.IsZero() {
		return deleted{}, eventstore.Errorf(eventstore.Corrupt, "deleted row", "%s %s: %v", r.Partition, r.Sort, err)
	}
	return d, nil
}

func partition(shard int) string { return fmt.Sprintf("#deleted#%02d", shard) }

func moment(t time.Time) string { return t.UTC().Format(event.TimeLayout) }
