package attribute

import (
	"slices"
	"strings"
)

// Kind is a type, spelt as on the wire.
type Kind string

// The ten types.
const (
	String    Kind = "S"
	Number    Kind = "N"
	Binary    Kind = "B"
	Bool      Kind = "BOOL"
	Null      Kind = "NULL"
	List      Kind = "L"
	Map       Kind = "M"
	StringSet Kind = "SS"
	NumberSet Kind = "NS"
	BinarySet Kind = "BS"
)

// Element is the type of a set's members, "" for other types.
func (k Kind) Element() Kind {
	switch k {
	case StringSet, NumberSet, BinarySet:
		return k[:1]
	}
	return ""
}

// Value is one attribute value. It is immutable: whoever changes a part copies
// the path to it.
type Value struct {
	Kind  Kind
	Text  string  // String, Binary (raw bytes), Number (canonical digits)
	Bool  bool    // Bool
	List  []Value // List and the sets, these sorted
	Items Item    // Map
}

// Field is a named value.
type Field struct {
	Name  string
	Value Value
}

// Item is an item, or a nested map: fields in order of name, each name once.
type Item []Field

func (it Item) search(name string) (int, bool) {
	return slices.BinarySearchFunc(it, name, func(f Field, name string) int { return strings.Compare(f.Name, name) })
}

// Get returns the value under name.
func (it Item) Get(name string) (Value, bool) {
	if i, ok := it.search(name); ok {
		return it[i].Value, true
	}
	return Value{}, false
}

// With returns a copy in which name has the value.
func (it Item) With(name string, v Value) Item {
	i, ok := it.search(name)
	if ok {
		out := slices.Clone(it)
		out[i].Value = v
		return out
	}
	out := make(Item, 0, len(it)+1)
	out = append(append(out, it[:i]...), Field{name, v})
	return append(out, it[i:]...)
}

// Without returns a copy in which name is absent.
func (it Item) Without(name string) Item {
	i, ok := it.search(name)
	if !ok {
		return it
	}
	return slices.Delete(slices.Clone(it), i, i+1)
}

// Equal compares by value; both are canonical, so by parts.
func Equal(a, b Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Bool != b.Bool {
		return false
	}
	return slices.EqualFunc(a.List, b.List, Equal) && EqualItems(a.Items, b.Items)
}

// EqualItems reports whether two items have the same names and values.
func EqualItems(a, b Item) bool {
	return slices.EqualFunc(a, b, func(x, y Field) bool { return x.Name == y.Name && Equal(x.Value, y.Value) })
}

// Compare orders two values of one type among S, N and B; ok is false for any
// other pair.
func Compare(a, b Value) (order int, ok bool) {
	if a.Kind != b.Kind {
		return 0, false
	}
	switch a.Kind {
	case String, Binary:
		return strings.Compare(a.Text, b.Text), true
	case Number:
		return a.Decimal().Compare(b.Decimal()), true
	}
	return 0, false
}

// Contains reports whether a set or list has the member.
func (v Value) Contains(member Value) bool {
	return slices.ContainsFunc(v.List, func(e Value) bool { return Equal(e, member) })
}

// NewSet returns a set of the elements in canonical order, without duplicates.
func NewSet(kind Kind, elements []Value) Value {
	sorted := slices.Clone(elements)
	slices.SortFunc(sorted, func(a, b Value) int { order, _ := Compare(a, b); return order })
	return Value{Kind: kind, List: slices.CompactFunc(sorted, Equal)}
}

// S returns a string value.
func S(text string) Value { return Value{Kind: String, Text: text} }
