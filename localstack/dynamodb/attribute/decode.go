package attribute

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"windlass/localstack/dynamodb/jsonread"
)

// maxLevels is how deep lists and maps may nest.
const maxLevels = 32

// InvalidError says which rule a value breaks, in AWS's words. It is a
// ValidationException; any other error of a decoder is a SerializationException.
type InvalidError struct{ Message string }

func (e *InvalidError) Error() string { return e.Message }

func invalid(format string, args ...any) error {
	return &InvalidError{fmt.Sprintf(format, args...)}
}

// ReadItem reads a map of attribute values.
func ReadItem(r *jsonread.Reader) Item { return readItem(r, 0) }

// ReadValue reads one attribute value.
func ReadValue(r *jsonread.Reader) Value { return readValue(r, 0) }

// ParseItem reads an item that is the whole text, as [AppendItem] writes it.
func ParseItem(text []byte) (Item, error) {
	r := jsonread.New(text)
	it := ReadItem(r)
	r.End()
	return it, r.Err()
}

func readItem(r *jsonread.Reader, level int) Item {
	it := make(Item, 0, 8)
	sorted := true
	for name := range r.Object() {
		it = append(it, Field{name, readValue(r, level)})
		if n := len(it); n > 1 && it[n-2].Name >= name {
			sorted = false
		}
	}
	if !sorted {
		slices.SortStableFunc(it, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	}
	for i := 1; i < len(it) && !sorted; i++ {
		if it[i].Name == it[i-1].Name {
			r.Fail(fmt.Errorf("%w: %q is given twice", jsonread.ErrSyntax, it[i].Name))
		}
	}
	return it
}

func readValue(r *jsonread.Reader, level int) Value {
	var v Value
	for kind := range r.Object() {
		if v.Kind != "" {
			r.Fail(invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"))
			return Value{}
		}
		v = readKind(r, Kind(kind), level)
	}
	if v.Kind == "" {
		r.Fail(invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"))
	}
	return v
}

func readKind(r *jsonread.Reader, kind Kind, level int) Value {
	v := Value{Kind: kind}
	if level >= maxLevels && (kind == List || kind == Map) {
		r.Fail(invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"))
		return v
	}
	switch kind {
	case String, Number, Binary:
		v.Text = readText(r, kind)
	case Bool:
		v.Bool = r.Bool()
	case Null:
		if !r.Bool() {
			r.Fail(invalid("One or more parameter values were invalid: Null attribute value types must have the value of true"))
		}
	case List:
		v.List = []Value{}
		for range r.Array() {
			v.List = append(v.List, readValue(r, level+1))
		}
	case Map:
		v.Items = readItem(r, level+1)
	case StringSet, NumberSet, BinarySet:
		v = readSet(r, kind)
	default:
		r.Fail(fmt.Errorf("unknown attribute type %q", string(kind)))
	}
	return v
}

func readText(r *jsonread.Reader, kind Kind) string {
	text := r.String()
	switch {
	case r.Err() != nil || kind == String:
		return text
	case kind == Binary:
		raw, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || strings.ContainsAny(text, "\r\n") {
			r.Fail(fmt.Errorf("a binary value is not valid base64"))
		}
		return string(raw)
	}
	d, err := ParseDecimal(text)
	switch {
	case err == errNumeric && text == "":
		r.Fail(invalid("The parameter cannot be converted to a numeric value"))
	case err == errNumeric:
		r.Fail(invalid("The parameter cannot be converted to a numeric value: %.100s", text))
	case err != nil:
		r.Fail(&InvalidError{err.Error()})
	}
	return d.String()
}

// emptySet has AWS's own grammar and spacing.
var emptySet = map[Kind]string{
	StringSet: "An string set  may not be empty",
	NumberSet: "An number set  may not be empty",
	BinarySet: "Binary sets should not be empty",
}

func readSet(r *jsonread.Reader, kind Kind) Value {
	var elements []Value
	for range r.Array() {
		elements = append(elements, Value{Kind: kind.Element(), Text: readText(r, kind.Element())})
	}
	v := NewSet(kind, elements)
	switch {
	case r.Err() != nil:
	case len(elements) == 0:
		r.Fail(invalid("One or more parameter values were invalid: %s", emptySet[kind]))
	case len(v.List) < len(elements):
		r.Fail(invalid("One or more parameter values were invalid: Input collection contains duplicates."))
	}
	return v
}
