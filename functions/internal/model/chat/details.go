package chat

import (
	"bytes"
	"encoding/json"
	"slices"

	"windlass/functions/internal/model/wire"
)

// details puts entries of reasoning_details together. A stream gives one entry in
// fragments, and a proof is of the whole text, so they must be one again when they
// are given back. All else stays as it came.
type details struct {
	entries []*detail
	// made and bytes are all that there ever were.
	made, bytes int
}

type detail struct {
	// key is the type and index; empty for one that is whole.
	key string
	raw json.RawMessage
	// fields and texts are what was joined; texts are the insides of JSON strings, which
	// are never read.
	fields map[string]json.RawMessage
	texts  map[string]*bytes.Buffer
}

// joined fields come in pieces.
var joined = []string{"text", "summary"}

// add takes an entry, and gives its text to show. whole says that it is no fragment.
func (d *details) add(raw json.RawMessage, whole bool) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return ""
	}
	if e := d.find(fields, whole); e != nil {
		d.bytes += e.join(fields)
	} else {
		d.begin(raw, fields, whole)
	}
	shown := ""
	for _, name := range joined {
		var s string
		if json.Unmarshal(fields[name], &s) == nil {
			shown += s
		}
	}
	return shown
}

func (d *details) begin(raw json.RawMessage, fields map[string]json.RawMessage, whole bool) {
	d.made++
	d.bytes += len(raw)
	e := &detail{raw: raw}
	if !whole && !wire.Given(fields["signature"]) {
		e.key = keyOf(fields)
	}
	d.entries = append(d.entries, e)
}

// keyOf is the same for the fragments of an entry. What is sealed comes whole.
func keyOf(fields map[string]json.RawMessage) string {
	if !wire.Given(fields["type"]) || fields["data"] != nil {
		return ""
	}
	index := fields["index"]
	if !wire.Given(index) {
		index = nil
	}
	return string(fields["type"]) + " " + string(index)
}

// find gives the entry that a fragment goes on. Few are under way at once; without
// an index, it is the last one.
func (d *details) find(fields map[string]json.RawMessage, whole bool) *detail {
	key := keyOf(fields)
	if key == "" || whole {
		return nil
	}
	window := 16
	if !wire.Given(fields["index"]) {
		window = 1
	}
	for _, e := range slices.Backward(d.entries[max(0, len(d.entries)-window):]) {
		if e.key == key {
			return e
		}
	}
	return nil
}

// join adds a fragment, and gives what it weighs. The proof ends the entry.
func (e *detail) join(fields map[string]json.RawMessage) (size int) {
	if e.fields == nil {
		var first map[string]json.RawMessage
		_ = json.Unmarshal(e.raw, &first) // it was read before
		e.fields, e.texts = map[string]json.RawMessage{}, map[string]*bytes.Buffer{}
		e.join(first)
	}
	for name, v := range fields {
		switch known := e.fields[name]; {
		case slices.Contains(joined, name) && len(v) > 1 && v[0] == '"':
			if e.texts[name] == nil {
				e.texts[name] = &bytes.Buffer{}
			}
			e.texts[name].Write(v[1 : len(v)-1])
			size += len(v)
		case wire.Given(v) && !bytes.Equal(v, known), known == nil:
			e.fields[name] = v
			size += len(v)
		}
	}
	if wire.Given(fields["signature"]) {
		e.key = ""
	}
	return size
}

// take gives the entries, and begins anew.
func (d *details) take() (all []json.RawMessage) {
	for _, e := range d.entries {
		all = append(all, e.whole())
	}
	d.entries = nil
	return all
}

func (e *detail) whole() json.RawMessage {
	if e.fields == nil {
		return e.raw
	}
	for name, t := range e.texts {
		e.fields[name] = json.RawMessage(`"` + t.String() + `"`)
	}
	var b bytes.Buffer
	if wire.AppendJSON(&b, e.fields) != nil {
		return e.raw
	}
	return b.Bytes()
}
