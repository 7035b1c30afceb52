package chat

import (
	"strings"

	"windlass/functions/internal/model"
)

// calls puts tool calls together. They are told apart by their index; where servers
// leave it out, or give all calls one, by what else shows that another begins.
type calls struct {
	all []*call
	at  map[int]*call
	// bytes is what they weigh.
	bytes int
}

type call struct {
	id, name  string
	arguments strings.Builder
	braces    braces
	native    callNative
}

// legacy is the index of a call of the old form.
const legacy = -1

// add takes a fragment; place is its place in the chunk's list.
func (c *calls) add(f fragment, place int) {
	name, arguments := string(f.Function.Name), string(f.Function.Arguments)
	k := c.find(f, place)
	switch {
	case k == nil, k.other(f):
		k = c.begin(f)
	case k.ended(f) && f.ID != "" && k.arguments.String() == arguments:
		return // the same call again, at the end of the stream
	case k.ended(f):
		k = c.begin(f)
	}
	if k.id == "" {
		k.id = string(f.ID)
	}
	if k.name == "" {
		k.name = name
	}
	k.native.add(f.callNative)
	k.argue(arguments)
	c.bytes += len(f.ID) + len(name) + len(arguments) + f.callNative.size()
}

// find gives the call that a fragment may belong to. Without an index that is the
// last one, but each of a list is one of its own.
func (c *calls) find(f fragment, place int) *call {
	if f.Index != nil {
		return c.at[int(*f.Index)]
	}
	if place == 0 && len(c.all) > 0 {
		return c.all[len(c.all)-1]
	}
	return nil
}

func (c *calls) begin(f fragment) *call {
	k := &call{}
	c.all = append(c.all, k)
	if f.Index != nil {
		if c.at == nil {
			c.at = map[int]*call{}
		}
		c.at[int(*f.Index)] = k
	}
	return k
}

// other: the fragment is surely of another call.
func (k *call) other(f fragment) bool {
	return f.ID != "" && k.id != "" && string(f.ID) != k.id || f.Index == nil && f.ID == "" && f.Function.Name != ""
}

// ended: the call is whole, and the fragment is named as a first one is.
func (k *call) ended(f fragment) bool {
	return f.Function.Name != "" && k.braces.closed() && strings.TrimSpace(string(f.Function.Arguments)) != ""
}

// argue adds to the arguments. Some servers begin with an empty object that means
// nothing yet.
func (k *call) argue(s string) {
	if k.arguments.String() == "{}" && strings.HasPrefix(s, "{") {
		k.arguments.Reset()
		k.braces = braces{}
	}
	k.arguments.WriteString(s)
	k.braces.read(s)
}

// take gives the calls. One that was cut off is never made, though what there is of
// it may be valid. A call without arguments is one with none: servers write it in
// both ways. What has neither name nor arguments is none.
func (c *calls) take(cut bool) (parts []model.Part) {
	all := c.all
	if cut && len(all) > 0 {
		all = all[:len(all)-1]
	}
	for _, k := range all {
		arguments := k.arguments.String()
		if strings.TrimSpace(arguments) == "" {
			if k.name == "" {
				continue
			}
			arguments = "{}"
		}
		parts = append(parts, model.Part{Call: &model.Call{ID: k.id, Name: k.name, Arguments: arguments, Native: text(k.native)}})
	}
	return parts
}

// broken: the last call surely goes on.
func (c *calls) broken() bool {
	return len(c.all) > 0 && c.all[len(c.all)-1].braces.open()
}

// braces follows JSON as far as to know whether an object is closed.
type braces struct {
	depth                 int
	began, quoted, escape bool
}

func (b *braces) read(s string) {
	for i := range len(s) {
		switch c := s[i]; {
		case b.escape:
			b.escape = false
		case b.quoted:
			b.escape, b.quoted = c == '\\', c != '"'
		case c == '"':
			b.quoted = true
		case c == '{', c == '[':
			b.depth, b.began = b.depth+1, true
		case c == '}', c == ']':
			b.depth--
		}
	}
}

func (b *braces) open() bool   { return b.quoted || b.depth > 0 }
func (b *braces) closed() bool { return b.began && !b.open() }
