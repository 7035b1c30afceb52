package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// MaxData is the largest state input, output or parameters, in bytes of JSON.
const MaxData = 262_144

// Value is one JSON value, kept as text, as a tree, or both: whichever is asked
// for is computed once. The tree is shared between states and must not be
// changed by anyone. A Value is not safe for concurrent use.
type Value struct {
	text   []byte
	tree   any
	parsed bool
}

// ParseValue reads exactly one JSON value. The text is kept, not copied.
func ParseValue(text []byte) (*Value, error) {
	tree, err := decode(text)
	if err != nil {
		return nil, err
	}
	return &Value{text: text, tree: tree, parsed: true}, nil
}

// StoredValue wraps text that is known to be JSON.
func StoredValue(text []byte) *Value { return &Value{text: text} }

// TreeValue wraps a tree of the kinds that encoding/json decodes to.
func TreeValue(tree any) *Value { return &Value{tree: tree, parsed: true} }

// Tree returns the decoded value; numbers are json.Number.
func (v *Value) Tree() any {
	if !v.parsed {
		v.tree, _ = decode(v.text) // it was valid when it was stored
		v.parsed = true
	}
	return v.tree
}

// Text returns the value as JSON.
func (v *Value) Text() []byte {
	if v.text == nil {
		v.text = encode(v.tree)
	}
	return v.text
}

// TooLarge reports whether the value exceeds what a state may pass on.
func (v *Value) TooLarge() bool { return len(v.Text()) > MaxData }

func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON value")
	}
	return tree, nil
}

func encode(tree any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(tree); err != nil {
		return []byte("null") // unreachable: a tree holds only what JSON has
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
