package attribute

// The size rule, from "DynamoDB item sizes and formats" in the developer guide:
// names and strings count their UTF-8 bytes, binary its raw bytes, a number
// about one byte for two significant digits and one more (plus one if it is
// negative), a Boolean or null one byte, a list or map three bytes and one for
// each element.

// Size is the size of an item in bytes.
func (it Item) Size() int {
	n := 0
	for _, f := range it {
		n += len(f.Name) + f.Value.Size()
	}
	return n
}

// Size is the size of a value in bytes.
func (v Value) Size() int {
	switch v.Kind {
	case String, Binary:
		return len(v.Text)
	case Number:
		return v.Decimal().size()
	case Bool, Null:
		return 1
	case Map:
		return 3 + len(v.Items) + v.Items.Size()
	}
	n := 0
	if v.Kind == List {
		n = 3 + len(v.List)
	}
	for _, e := range v.List {
		n += e.Size()
	}
	return n
}

func (d Decimal) size() int {
	if d.digits == "" {
		return 1
	}
	n := (len(d.digits)+1)/2 + 1
	if d.negative {
		n++
	}
	return n
}
