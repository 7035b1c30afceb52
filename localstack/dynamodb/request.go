package dynamodb

import (
	"slices"

	"windlass/localstack/dynamodb/attribute"
	"windlass/localstack/dynamodb/expression"
	"windlass/localstack/dynamodb/jsonread"
)

// request is a decoded request of any item operation, or one action of a
// transaction.
type request struct {
	given []string // the fields that were present

	table                                           string
	item, key, start                                attribute.Item
	condition, update, filter, projection, keyRange string
	names                                           []expression.Name
	values                                          attribute.Item
	returnValues, onFailure, selects, token         string
	consistent, backward                            bool
	limit                                           int64
	actions                                         []action
	batch                                           []*request
	keys                                            []attribute.Item
	accounting                                      string

	spent []Capacity // by the request, so far
}

// action is one element of TransactItems.
type action struct {
	verb string // Put, Update, Delete, ConditionCheck, Get
	in   *request
}

func (in *request) has(field string) bool { return slices.Contains(in.given, field) }

// firstTable names a table for fault injection.
func (in *request) firstTable() string {
	switch {
	case len(in.actions) > 0:
		return in.actions[0].in.table
	case len(in.batch) > 0:
		return in.batch[0].table
	}
	return in.table
}

// fieldSet maps the fields that an operation knows to their readers.
type fieldSet map[string]func(r *jsonread.Reader, in *request)

// unsupportedFields exist at AWS. A request that uses one is told so.
var unsupportedFields = []string{"AttributesToGet", "AttributeUpdates", "ConditionalOperator", "Expected", "IndexName", "KeyConditions",
	"QueryFilter", "ScanFilter", "Segment", "TotalSegments"}

func decode(body []byte, known fieldSet) (*request, error) {
	r := jsonread.New(body)
	in := readRequest(r, known)
	r.End()
	if err := r.Err(); err != nil {
		return nil, coded(err)
	}
	return in, nil
}

func readRequest(r *jsonread.Reader, known fieldSet) *request {
	in := &request{given: make([]string, 0, 8)}
	for field := range r.Object() {
		read, ok := known[field]
		switch {
		case slices.Contains(unsupportedFields, field):
			r.Fail(validation("field %s is not supported here", field))
		case !ok:
			r.Fail(validation("unknown field %s", field))
		case in.has(field):
			r.Fail(validation("field %s is given twice", field))
		case r.Null():
		default:
			in.given = append(in.given, field)
			read(r, in)
		}
		if r.Err() != nil {
			return in
		}
	}
	return in
}

func readNames(r *jsonread.Reader, in *request) {
	for placeholder := range r.Object() {
		in.names = append(in.names, expression.Name{Placeholder: placeholder, Attribute: r.String()})
	}
	if len(in.names) == 0 {
		r.Fail(validation("ExpressionAttributeNames must not be empty"))
	}
	slices.SortFunc(in.names, func(a, b expression.Name) int { return compareStrings(a.Placeholder, b.Placeholder) })
	for i := 1; i < len(in.names); i++ {
		if in.names[i].Placeholder == in.names[i-1].Placeholder {
			r.Fail(validation("ExpressionAttributeNames has %s twice", in.names[i].Placeholder))
		}
	}
}

func readValues(r *jsonread.Reader, in *request) {
	in.values = attribute.ReadItem(r)
	if len(in.values) == 0 {
		r.Fail(validation("ExpressionAttributeValues must not be empty"))
	}
}

// oneOf reads a string that must be among the words.
func oneOf(field string, to func(in *request) *string, words ...string) func(*jsonread.Reader, *request) {
	return func(r *jsonread.Reader, in *request) {
		word := r.String()
		if r.Err() == nil && !slices.Contains(words, word) {
			r.Fail(validation("%s must be one of %v here, not %q", field, words, word))
		}
		*to(in) = word
	}
}

func text(to func(in *request) *string) func(*jsonread.Reader, *request) {
	return func(r *jsonread.Reader, in *request) { *to(in) = r.String() }
}
