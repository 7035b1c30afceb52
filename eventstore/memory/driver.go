package memory

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"windlass/eventstore"
)

// Driver is safe for concurrent use.
type Driver struct {
	mu      sync.RWMutex
	records map[eventstore.Stream]*sorted[uint64, eventstore.Record]
	rows    map[string]*sorted[string, eventstore.Row]
	places  map[place]uint64 // where each commit id of a stream stands
}

type place struct {
	stream eventstore.Stream
	id     string
}

var (
	_ eventstore.Driver = (*Driver)(nil)
	_ eventstore.Eraser = (*Driver)(nil)
)

// New makes an empty one.
func New() *Driver {
	return &Driver{
		records: map[eventstore.Stream]*sorted[uint64, eventstore.Record]{},
		rows:    map[string]*sorted[string, eventstore.Row]{},
		places:  map[place]uint64{},
	}
}

// Append implements [eventstore.Driver].
func (d *Driver) Append(ctx context.Context, w eventstore.Write) error {
	if err := alive(ctx, "append"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.accuse(w)
	if err := d.refuse(w); err != nil {
		return err
	}
	r := copyRecord(w.Record)
	table(d.records, r.Stream).put(r.First, r)
	d.places[place{r.Stream, r.ID}] = r.First
	if w.Claim != nil {
		key := eventstore.ClaimKey(r.Stream, w.Claim.Key)
		d.put(eventstore.Row{RowKey: key, Kind: eventstore.KindClaim, Data: eventstore.EncodeClaim(*w.Claim)})
	}
	for _, row := range w.Rows {
		d.put(copyRow(row))
	}
	return nil
}

// refuse tells what stands in the way, a claim before a record.
func (d *Driver) refuse(w eventstore.Write) error {
	existing, taken := table(d.records, w.Record.Stream).get(w.Record.First)
	if taken {
		existing = copyRecord(existing)
	}
	if w.Claim != nil {
		key := eventstore.ClaimKey(w.Record.Stream, w.Claim.Key)
		if row, ok := table(d.rows, key.Partition).get(key.Sort); ok {
			claim, err := eventstore.DecodeClaim(row.Data)
			if err != nil {
				return err
			}
			claimed := &eventstore.Claimed{Existing: claim}
			if taken {
				claimed.Commit = &existing
			}
			return claimed
		}
	}
	if taken {
		return &eventstore.Conflict{Existing: existing}
	}
	return nil
}

// accuse panics if the caller breaks the log's law in a way that a real backend
// could not notice.
func (d *Driver) accuse(w eventstore.Write) {
	r := w.Record
	if at, ok := d.places[place{r.Stream, r.ID}]; ok && at != r.First {
		panic(fmt.Sprintf("memory: commit %s stands at seq %d of %s and was sent for seq %d", r.ID, at, r.Stream, r.First))
	}
	if old, ok := table(d.records, r.Stream).get(r.First); ok && old.ID == r.ID && !same(old, r) {
		panic(fmt.Sprintf("memory: commit %s at seq %d of %s was sent again with another content", r.ID, r.First, r.Stream))
	}
	for _, row := range w.Rows {
		if _, err := eventstore.StreamOf(row.Partition); err == nil || row.Kind == eventstore.KindCommit || row.Kind == eventstore.KindClaim {
			panic(fmt.Sprintf("memory: row %v would write over the log", row.RowKey))
		}
		if old, ok := table(d.rows, row.Partition).get(row.Sort); ok && old.Kind == eventstore.KindClaim {
			panic(fmt.Sprintf("memory: row %v would write over a claim", row.RowKey))
		}
	}
}

func (d *Driver) put(r eventstore.Row) {
	t := table(d.rows, r.Partition)
	if len(r.Data) == 0 {
		t.remove(r.Sort)
		return
	}
	t.put(r.Sort, r)
}

func same(a, b eventstore.Record) bool {
	return a.Last == b.Last && a.By == b.By && a.At.Equal(b.At) && a.Wake == b.Wake && a.Settles == b.Settles && a.Closed == b.Closed &&
		bytes.Equal(a.Body, b.Body) && bytes.Equal(a.Summary, b.Summary)
}

func copyRecord(r eventstore.Record) eventstore.Record {
	r.Summary, r.Body = bytes.Clone(r.Summary), bytes.Clone(r.Body)
	return r
}

func copyRow(r eventstore.Row) eventstore.Row {
	r.Data = bytes.Clone(r.Data)
	return r
}

func alive(ctx context.Context, op string) error {
	if err := ctx.Err(); err != nil {
		return eventstore.Errorf(eventstore.Unavailable, op, "%w", err)
	}
	return nil
}
