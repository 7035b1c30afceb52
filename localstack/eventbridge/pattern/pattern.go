package pattern

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// maxBytes and maxDepth bound a pattern; AWS allows 4,096 characters.
const (
	maxBytes = 4096
	maxDepth = 32
)

// A Pattern matches events. It is immutable.
type Pattern struct{ root fields }

type fields []field

// A field has either values or, for a nested object, inner fields.
type field struct {
	name   string
	values []any
	inner  fields
}

// Parse reads a pattern, and refuses every form but exact values.
func Parse(text []byte) (*Pattern, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("pattern: longer than %d bytes", maxBytes)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if t != json.Delim('{') {
		return nil, errors.New("pattern: it is not an object")
	}
	root, err := object(d, "", 1)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("pattern: something follows the object")
	}
	return &Pattern{root}, nil
}

// object reads the fields of an object whose brace has been read.
func object(d *json.Decoder, at string, depth int) (fields, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("pattern: %s is nested too deeply", at)
	}
	var all fields
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("pattern: %w", err)
		}
		f := field{name: t.(string)} // a decoder yields nothing else for a key
		path := strings.TrimPrefix(at+"."+f.name, ".")
		switch {
		case seen[f.name]:
			return nil, fmt.Errorf("pattern: %s stands there twice", path)
		case f.name == "$or":
			return nil, errors.New("pattern: the embedded stack does not model $or")
		}
		seen[f.name] = true
		if t, err = d.Token(); err != nil {
			return nil, fmt.Errorf("pattern: %w", err)
		}
		switch t {
		case json.Delim('{'):
			f.inner, err = object(d, path, depth+1)
		case json.Delim('['):
			f.values, err = list(d, path)
		default:
			err = fmt.Errorf("pattern: %s must be an object or a list", path)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("pattern: %q is an empty object", at)
	}
	_, err := d.Token()
	return all, err
}

func list(d *json.Decoder, path string) ([]any, error) {
	var values []any
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("pattern: %w", err)
		}
		if t == json.Delim('{') {
			filter, _ := d.Token()
			return nil, fmt.Errorf("pattern: %s: the embedded stack does not model the filter %v", path, filter)
		}
		if _, nested := t.(json.Delim); nested {
			return nil, fmt.Errorf("pattern: %s: a list inside a list", path)
		}
		values = append(values, t)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("pattern: %s is an empty list", path)
	}
	_, err := d.Token()
	return values, err
}

// Match reports whether an event, a JSON object, fits the pattern. What is not
// an object fits none. Of the event only what the pattern names is read: a record may
// hold a hundred times as much.
func (p *Pattern) Match(event []byte) bool { return p.root.match(gjson.ParseBytes(event)) }

// match holds if every field does. A list in the event fits if one of its
// elements does.
func (fs fields) match(v gjson.Result) (fits bool) {
	if v.IsArray() {
		v.ForEach(func(_, item gjson.Result) bool {
			fits = fs.match(item)
			return !fits
		})
		return fits
	}
	if !v.IsObject() {
		return false
	}
	matched := 0
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		for _, f := range fs {
			if f.name == name {
				fits = f.match(value)
				matched++
				return fits && matched < len(fs)
			}
		}
		return true
	})
	return fits && matched == len(fs)
}

func (f field) match(v gjson.Result) (fits bool) {
	if f.inner != nil {
		return f.inner.match(v)
	}
	if !v.IsArray() {
		return f.is(v)
	}
	v.ForEach(func(_, item gjson.Result) bool {
		fits = f.is(item)
		return !fits
	})
	return fits
}

// is compares one value; an object or a list is no exact value.
func (f field) is(v gjson.Result) bool {
	var item any
	switch v.Type {
	case gjson.String:
		item = v.Str
	case gjson.Number:
		item = json.Number(v.Raw)
	case gjson.True, gjson.False:
		item = v.Bool()
	case gjson.JSON:
		return false
	}
	return slices.Contains(f.values, item)
}
