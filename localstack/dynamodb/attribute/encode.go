package attribute

import (
	"encoding/base64"

	"windlass/localstack/dynamodb/jsonread"
)

// AppendItem appends the wire form of an item: canonical JSON.
func AppendItem(b []byte, it Item) []byte {
	b = append(b, '{')
	for i, f := range it {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonread.AppendString(b, f.Name)
		b = append(b, ':')
		b = AppendValue(b, f.Value)
	}
	return append(b, '}')
}

// AppendValue appends the wire form of a value.
func AppendValue(b []byte, v Value) []byte {
	b = append(b, `{"`...)
	b = append(b, v.Kind...)
	b = append(b, `":`...)
	switch v.Kind {
	case String, Number, Binary:
		b = appendText(b, v)
	case Bool, Null:
		if v.Bool || v.Kind == Null {
			b = append(b, "true"...)
		} else {
			b = append(b, "false"...)
		}
	case Map:
		b = AppendItem(b, v.Items)
	default:
		b = appendList(b, v)
	}
	return append(b, '}')
}

// appendList appends a list's values, or a set's bare texts.
func appendList(b []byte, v Value) []byte {
	b = append(b, '[')
	for i, e := range v.List {
		if i > 0 {
			b = append(b, ',')
		}
		if v.Kind == List {
			b = AppendValue(b, e)
		} else {
			b = appendText(b, e)
		}
	}
	return append(b, ']')
}

func appendText(b []byte, v Value) []byte {
	switch v.Kind {
	case String:
		return jsonread.AppendString(b, v.Text)
	case Binary:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, []byte(v.Text))
		return append(b, '"')
	}
	b = append(b, '"')
	b = append(b, v.Text...)
	return append(b, '"')
}
