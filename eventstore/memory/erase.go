package memory

import (
	"context"
	"slices"
	"strconv"

	"windlass/eventstore"
)

// Erase implements [eventstore.Eraser].
func (d *Driver) Erase(ctx context.Context, key eventstore.RowKey) error {
	if err := alive(ctx, "erase"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := eventstore.StreamOf(key.Partition)
	if err != nil {
		table(d.rows, key.Partition).remove(key.Sort)
		return nil
	}
	first, err := strconv.ParseUint(key.Sort, 10, 64)
	if err != nil {
		return eventstore.Errorf(eventstore.Invalid, "erase", "%w", err)
	}
	if r, there := table(d.records, s).get(first); there {
		delete(d.places, place{s, r.ID})
		d.records[s].remove(first)
	}
	return nil
}

// Keys lists all items' keys, as "partition sort", for tests that look for what was left
// behind.
func (d *Driver) Keys() (all []string) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for s, t := range d.records {
		for _, first := range t.keys {
			all = append(all, eventstore.RecordPartition(s)+" "+eventstore.SeqKey(first))
		}
	}
	for partition, t := range d.rows {
		for _, sort := range t.keys {
			all = append(all, partition+" "+sort)
		}
	}
	slices.Sort(all)
	return all
}
