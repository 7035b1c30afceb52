package dynamodb

import (
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"

	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
)

// MaxPage is how many bytes of items a Query or Scan reads, before filtering.
const MaxPage = 1 << 20

// pager is a validated Query or Scan.
type pager struct {
	table      *table
	span       span
	backward   bool
	limit      int // 0: none
	filter     expression.Condition
	projection *expression.Projection
	countOnly  bool
}

func (s *Service) query(in *request) (any, error) {
	t, err := s.table(in.table)
	if err != nil {
		return nil, err
	}
	if !in.has("KeyConditionExpression") {
		return nil, validation("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	params, err := in.placeholders("KeyConditionExpression")
	if err != nil {
		return nil, err
	}
	condition, err := expression.ParseKeyCondition(in.keyRange, t.Spec.HashKey.Name, t.Spec.SortKey.Name, params)
	if err != nil {
		return nil, coded(err)
	}
	p := &pager{table: t, backward: in.backward}
	if err := p.options(in, params); err != nil {
		return nil, err
	}
	for _, name := range t.Spec.keyNames() {
		if p.filter != nil && expression.Mentions(p.filter, name) {
			return nil, validation("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", name)
		}
	}
	if p.span, err = t.spanOf(condition); err != nil {
		return nil, err
	}
	if err := p.startAfter(in, "The provided starting key is outside query boundaries based on provided conditions"); err != nil {
		return nil, err
	}
	return p.run(s, in)
}

func (s *Service) scan(in *request) (any, error) {
	t, err := s.table(in.table)
	if err != nil {
		return nil, err
	}
	params, err := in.placeholders("FilterExpression", "ProjectionExpression")
	if err != nil {
		return nil, err
	}
	p := &pager{table: t, span: span{low: []byte{0}}}
	if err := p.options(in, params); err != nil {
		return nil, err
	}
	if err := p.startAfter(in, "The provided starting key is invalid"); err != nil {
		return nil, err
	}
	return p.run(s, in)
}

// options reads what Query and Scan share.
func (p *pager) options(in *request, params *expression.Placeholders) (err error) {
	if in.has("FilterExpression") {
		if p.filter, err = expression.ParseCondition("FilterExpression", in.filter, params); err != nil {
			return coded(err)
		}
	}
	if in.has("ProjectionExpression") {
		if p.projection, err = expression.ParseProjection(in.projection, params); err != nil {
			return coded(err)
		}
	}
	if err := params.Unused(); err != nil {
		return coded(err)
	}
	p.countOnly = in.selects == "COUNT"
	p.limit = int(min(in.limit, 1<<30))
	switch {
	case in.has("Limit") && in.limit < 1:
		return constraint("limit", "Member must have value greater than or equal to 1")
	case in.selects == "SPECIFIC_ATTRIBUTES" && p.projection == nil:
		return validation("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case p.projection != nil && in.selects != "" && in.selects != "SPECIFIC_ATTRIBUTES":
		return validation("Cannot specify the ProjectionExpression when choosing to get %s", map[string]string{"COUNT": "only the Count", "ALL_ATTRIBUTES": "ALL_ATTRIBUTES"}[in.selects])
	}
	return nil
}

func (p *pager) startAfter(in *request, outside string) error {
	if !in.has("ExclusiveStartKey") {
		return nil
	}
	key, err := p.table.keyFrom(in.start)
	if err != nil {
		return validation("The provided starting key is invalid: The provided key element does not match the schema")
	}
	if !p.span.contains(key) {
		return validation("%s", outside)
	}
	if p.backward {
		p.span.high = key
	} else {
		p.span.low = append(slices.Clip(key), 0)
	}
	return nil
}

// page is one answer under construction.
type page struct {
	items          []byte
	count, scanned int
	size           int
	last           []byte // key of the last item read, if more may follow
}

func (p *pager) run(s *Service, in *request) (any, error) {
	var out page
	err := s.db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(p.table.items)
		if bucket == nil {
			return noTable()
		}
		return p.read(bucket.Cursor(), &out)
	})
	if err != nil {
		return nil, err
	}
	in.spend(p.table, readUnits(out.size, consistencyOf(in.consistent)), 0)
	return p.render(out)
}

// read walks the span. A page ends at the limit even if nothing follows, which
// the caller learns from the next one, as at AWS.
func (p *pager) read(cursor *bbolt.Cursor, out *page) error {
	var last []byte
	for key, value := p.span.first(cursor, p.backward); key != nil; key, value = p.span.next(cursor, p.backward) {
		found := row(value)
		if out.scanned > 0 && out.size+found.size() > MaxPage {
			out.last = slices.Clone(last)
			return nil
		}
		if err := p.take(found, out); err != nil {
			return err
		}
		last = key
		if out.scanned == p.limit {
			out.last = slices.Clone(last)
			return nil
		}
	}
	return nil
}

func (p *pager) take(found row, out *page) (err error) {
	out.scanned++
	out.size += found.size()
	var item attribute.Item
	if p.filter != nil || p.projection != nil && !p.countOnly {
		if item, err = found.item(); err != nil {
			return err
		}
	}
	if p.filter != nil && !p.filter.Holds(item) {
		return nil
	}
	out.count++
	if p.countOnly {
		return nil
	}
	if out.count > 1 {
		out.items = append(out.items, ',')
	}
	if p.projection != nil {
		out.items = attribute.AppendItem(out.items, p.projection.Apply(item))
	} else {
		out.items = append(out.items, found.json()...)
	}
	return nil
}

func (p *pager) render(out page) (any, error) {
	b := make([]byte, 0, len(out.items)+256)
	b = append(b, '{')
	if !p.countOnly {
		b = append(append(append(b, `"Items":[`...), out.items...), "],"...)
	}
	if out.last != nil {
		b = attribute.AppendItem(append(b, `"LastEvaluatedKey":`...), p.table.decodeKey(out.last))
		b = append(b, ',')
	}
	return json.RawMessage(appendCounts(b, out.count, out.scanned)), nil
}
