package openapi

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"windlass/tests/client"
)

// file is the document that is built in.
func file(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../functions/internal/openapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// document is a document's schemas, as plain values.
type document map[string]map[string]any

func schemas(t *testing.T) document {
	t.Helper()
	var d struct{ Components struct{ Schemas document } }
	if err := json.Unmarshal(file(t), &d); err != nil {
		t.Fatal(err)
	}
	return d.Components.Schemas
}

// members are a schema's properties, of all its parts, by their names in lower
// case: encoding/json takes a name in any case.
func (d document) members(s map[string]any, into map[string]map[string]any) {
	if ref, ok := s["$ref"].(string); ok {
		d.members(d[ref[strings.LastIndex(ref, "/")+1:]], into)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		p := p.(map[string]any)
		// Of two parts that describe a member the one that says more is it.
		if there := into[strings.ToLower(name)]; len(p) >= len(there) {
			into[strings.ToLower(name)] = p
		}
	}
	for _, kind := range []string{"allOf", "oneOf"} {
		parts, _ := s[kind].([]any)
		for _, p := range parts {
			d.members(p.(map[string]any), into)
		}
	}
}

// compare looks for each field that the client reads; it returns how many it saw.
func (d document) compare(t *testing.T, where string, s map[string]any, of reflect.Type) (n int) {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return 0
	}
	there := map[string]map[string]any{}
	d.members(s, there)
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name {
		case "-":
			continue
		case "":
			name = f.Name
		}
		n++
		sub, ok := there[strings.ToLower(name)]
		if !ok {
			t.Errorf("%s: the client reads %s, which the document does not have", where, name)
			continue
		}
		n += d.compare(t, where+"."+name, sub, f.Type)
	}
	return n
}

func TestClientReadsWhatTheDocumentSays(t *testing.T) {
	d := schemas(t)
	n := 0
	for name, v := range map[string]any{
		"Receipt": client.Receipt{}, "Operation": client.Operation{}, "Event": client.Event{}, "Problem": client.Problem{}, "Submission": client.Submission{},
		"Ref": client.Ref{}, "File": client.File{}, "Upload": client.Upload{}, "Session": client.Session{}, "TranscriptItem": client.Item{},
	} {
		if d[name] == nil {
			t.Errorf("there is no schema %s", name)
			continue
		}
		n += d.compare(t, name, d[name], reflect.TypeOf(v))
	}
	if n < 60 {
		t.Errorf("only %d fields were compared", n)
	}
}
