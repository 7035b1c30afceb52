package awsjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
)

// Unsupported is the type of a request field that AWS has and this subset has
// not. [Decode] refuses a request that sets it.
type Unsupported struct{}

// UnmarshalJSON accepts anything: Decode has refused the field by then.
func (*Unsupported) UnmarshalJSON([]byte) error { return nil }

// Decode reads a request into a struct, strictly. Names match exactly (the JSON
// package alone would fold case). An unknown field, or one of type
// [Unsupported], is a ValidationException that names it by its path; a value of
// the wrong type, or text that is not one JSON object, is a
// SerializationException. An explicit null counts as absent.
func Decode(body []byte, into any) error {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return Errorf("SerializationException", "the request body is not a JSON object")
	}
	if err := checkFields(body, reflect.TypeOf(into), ""); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return serialization(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Errorf("SerializationException", "the request body has text after its JSON object")
	}
	return nil
}

func serialization(err error) error {
	var coded *Error
	if errors.As(err, &coded) {
		return coded
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return Errorf("SerializationException", "%s cannot be a JSON %s", kind.Field, kind.Value)
	}
	return Errorf("SerializationException", "the request body is not valid JSON: %v", err)
}

var (
	unsupported = reflect.TypeFor[Unsupported]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// checkFields walks the text beside the type and refuses what has no place.
func checkFields(text []byte, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) || bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkStruct(text, t, path)
	case reflect.Slice:
		if !nests(t.Elem()) {
			return nil
		}
		var elements []json.RawMessage
		if err := json.Unmarshal(text, &elements); err != nil {
			return nil // the decoder says it better
		}
		for _, element := range elements {
			if err := checkFields(element, t.Elem(), path+"[]."); err != nil {
				return err
			}
		}
	case reflect.Map:
		if !nests(t.Elem()) {
			return nil
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			return nil
		}
		for name, member := range members {
			if err := checkFields(member, t.Elem(), path+name+"."); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkStruct(text []byte, t reflect.Type, path string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return serialization(err)
	}
	known := fieldsOf(t)
	for name, member := range members {
		field, ok := known[name]
		if !ok {
			return Errorf("ValidationException", "unknown field %s%s", path, name)
		}
		if field == unsupported && !bytes.Equal(member, []byte("null")) {
			return Errorf("ValidationException", "field %s%s is not supported here", path, name)
		}
		if err := checkFields(member, field, path+name+"."); err != nil {
			return err
		}
	}
	return nil
}

func nests(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
		return t != reflect.TypeFor[json.RawMessage]()
	}
	return false
}

var fieldCache sync.Map // reflect.Type to map[string]reflect.Type; as many as there are request types

func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := fieldCache.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	known := make(map[string]reflect.Type, t.NumField())
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" || field.Anonymous {
			continue
		}
		if name == "" {
			name = field.Name
		}
		known[name] = field.Type
	}
	fieldCache.Store(t, known)
	return known
}
