package memory

import (
	"context"

	"windlass/eventstore"
)

// Records implements [eventstore.Driver].
func (d *Driver) Records(ctx context.Context, q eventstore.RecordQuery) ([]eventstore.Record, bool, error) {
	if err := readable(ctx, "records", q.Limit); err != nil {
		return nil, false, err
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	t := d.records[q.Stream]
	if t == nil {
		return nil, false, nil
	}
	from := t.search(q.From)
	if q.Descending && (from == len(t.keys) || t.keys[from] != q.From) {
		from--
	}
	page, more := pageOf(t, from, q.Descending, q.Limit, recordBytes)
	for i := range page {
		page[i] = copyRecord(page[i])
	}
	return page, more, nil
}

// Row implements [eventstore.Driver].
func (d *Driver) Row(ctx context.Context, key eventstore.RowKey) (eventstore.Row, bool, error) {
	if err := alive(ctx, "row"); err != nil {
		return eventstore.Row{}, false, err
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if t := d.rows[key.Partition]; t != nil {
		if r, ok := t.get(key.Sort); ok {
			return copyRow(r), true, nil
		}
	}
	return eventstore.Row{}, false, nil
}

// Rows implements [eventstore.Driver].
func (d *Driver) Rows(ctx context.Context, q eventstore.RowQuery) ([]eventstore.Row, bool, error) {
	if err := readable(ctx, "rows", q.Limit); err != nil {
		return nil, false, err
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	t := d.rows[q.Partition]
	if t == nil {
		return nil, false, nil
	}
	page, more := pageOf(t, firstRow(t, q), q.Descending, q.Limit, rowBytes)
	for i := range page {
		page[i] = copyRow(page[i])
	}
	return page, more, nil
}

func firstRow(t *sorted[string, eventstore.Row], q eventstore.RowQuery) int {
	switch i := t.search(q.After); {
	case q.Descending && q.After == "":
		return len(t.keys) - 1
	case q.Descending:
		return i - 1
	case i < len(t.keys) && t.keys[i] == q.After:
		return i + 1
	default:
		return i
	}
}

func readable(ctx context.Context, op string, limit int) error {
	if limit < 1 {
		return eventstore.Errorf(eventstore.Invalid, op, "limit %d, want 1 or more", limit)
	}
	return alive(ctx, op)
}

// recordBytes and rowBytes are near what DynamoDB counts.
func recordBytes(r eventstore.Record) int {
	return 200 + len(r.Stream.Tenant) + len(r.Stream.Session) + len(r.By) + len(r.Summary) + len(r.Body)
}

func rowBytes(r eventstore.Row) int {
	return 20 + len(r.Partition) + len(r.Sort) + len(r.Kind) + len(r.Data)
}

// pageOf takes values from index from on, up to the limit or a page's bytes. As
// in DynamoDB, more is true whenever something else than the end stopped it.
func pageOf[K, V any](t *sorted[K, V], from int, descending bool, limit int, size func(V) int) (page []V, more bool) {
	step := 1
	if descending {
		step = -1
	}
	for i, held := from, 0; i >= 0 && i < len(t.values); i += step {
		held += size(t.values[i])
		if len(page) == limit || len(page) > 0 && held > eventstore.PageBytes {
			return page, true
		}
		page = append(page, t.values[i])
	}
	return page, len(page) == limit
}
