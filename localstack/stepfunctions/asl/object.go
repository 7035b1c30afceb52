package asl

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"sort"
)

// object reads one JSON object of a definition, strictly: each member is taken
// once by its name, and what nobody took is unknown.
type object struct {
	at       string
	members  map[string]json.RawMessage
	problems *problems
}

func readObject(at string, text []byte, p *problems) *object {
	o := &object{at: at, members: map[string]json.RawMessage{}, problems: p}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		p.add(schemaFailed, at, "must be a JSON object")
		return o
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			p.add(invalidJSON, at, "%v", err)
			return o
		}
		name := key.(string)
		if _, twice := o.members[name]; twice {
			p.add(schemaFailed, at, "field %q is given twice", name)
		}
		o.members[name] = value
	}
	return o
}

func (o *object) fail(field, format string, args ...any) {
	o.problems.add(schemaFailed, o.at+"/"+field, format, args...)
}

func (o *object) has(name string) bool { _, ok := o.members[name]; return ok }

func (o *object) take(name string) (json.RawMessage, bool) {
	raw, ok := o.members[name]
	delete(o.members, name)
	return raw, ok
}

func isNull(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "null" }

// typed takes a member of a plain type; ok is false if it is absent or wrong.
func typed[T any](o *object, name, kind string) (value T, ok bool) {
	raw, present := o.take(name)
	if !present {
		return value, false
	}
	if isNull(raw) || json.Unmarshal(raw, &value) != nil {
		o.fail(name, "must be %s", kind)
		return value, false
	}
	return value, true
}

func (o *object) text(name string) (string, bool) { return typed[string](o, name, "a string") }
func (o *object) flag(name string) bool           { b, _ := typed[bool](o, name, "a boolean"); return b }

func (o *object) requiredText(name string) string {
	if !o.has(name) {
		o.fail(name, "is required")
	}
	s, _ := o.text(name)
	return s
}

// whole takes an integer between least and most; absent or wrong is otherwise.
func (o *object) whole(name string, least, most, otherwise int) int {
	f, ok := typed[float64](o, name, "an integer")
	if !ok {
		return otherwise
	}
	if f != math.Trunc(f) || f < float64(least) || f > float64(most) {
		o.fail(name, "must be an integer from %d to %d", least, most)
		return otherwise
	}
	return int(f)
}

// path takes a reference path; absent is nil.
func (o *object) path(name string) *Path {
	text, ok := o.text(name)
	if !ok {
		return nil
	}
	return o.parsePath(name, text)
}

func (o *object) parsePath(name, text string) *Path {
	p, err := ParsePath(text)
	if err != nil {
		o.fail(name, "%v", err)
		return nil
	}
	return p
}

var root = &Path{text: "$"}

// pathOrNull takes a path that may be an explicit null (nil); absent is $.
func (o *object) pathOrNull(name string) *Path {
	raw, ok := o.members[name]
	if !ok {
		return root
	}
	if isNull(raw) {
		o.take(name)
		return nil
	}
	return o.path(name)
}

// resultPath takes a path that can be written to.
func (o *object) resultPath() *Path {
	p := o.pathOrNull("ResultPath")
	if p == nil {
		return nil
	}
	if p.context != "" || slices.ContainsFunc(p.steps, func(s step) bool { return s.index >= 0 }) {
		o.fail("ResultPath", "%q cannot be written to: names below $ only", p.text)
	}
	return p
}

func (o *object) template(name string) *Template {
	raw, ok := o.take(name)
	if !ok {
		return nil
	}
	tree, err := decode(raw)
	if err != nil {
		o.fail(name, "%v", err)
		return nil
	}
	if _, isObject := tree.(map[string]any); !isObject {
		o.fail(name, "must be a JSON object")
		return nil
	}
	t, err := parseTemplate(o.at, tree)
	if err != nil {
		o.fail(name, "%v", err)
		return nil
	}
	return t
}

// list takes an array of objects.
func (o *object) list(name string) []json.RawMessage {
	elements, _ := typed[[]json.RawMessage](o, name, "an array")
	return elements
}

// laterFields are real fields of the language that this subset has not.
var laterFields = map[string]string{
	"Arguments": "JSONata", "Output": "JSONata", "Condition": "JSONata", "Items": "JSONata",
	"Assign": "variables", "Branches": "the Parallel state", "ItemProcessor": "the Map state", "Iterator": "the Map state",
	"Credentials": "cross-account credentials",
}

// done reports every member that nobody took.
func (o *object) done() {
	names := make([]string, 0, len(o.members))
	for name := range o.members {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if feature, known := laterFields[name]; known {
			o.fail(name, "%s is not supported here", feature)
		} else {
			o.fail(name, "unknown field, or not one of this state type")
		}
	}
}
