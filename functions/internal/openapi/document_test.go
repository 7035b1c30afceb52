package openapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"windlass/functions/internal/openapi"
)

// model reads the document that is served.
func model(t testing.TB) (libopenapi.Document, *v3.Document) {
	t.Helper()
	doc, err := libopenapi.NewDocument(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	m, err := doc.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	return doc, &m.Model
}

func schema(t testing.TB, m *v3.Document, name string) *base.Schema {
	t.Helper()
	p, ok := m.Components.Schemas.Get(name)
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	return p.Schema()
}

// fits reports why a JSON text does not fit a schema; formats count too.
func fits(s *base.Schema, text string) error {
	v := schema_validation.NewSchemaValidator(config.WithFormatAssertions(), config.WithContentAssertions())
	ok, errs := v.ValidateSchemaStringWithVersion(s, text, 3.1)
	if ok {
		return nil
	}
	var why []string
	for _, e := range errs {
		why = append(why, e.Reason)
		for _, f := range e.SchemaValidationErrors {
			why = append(why, f.KeywordLocation+": "+f.Reason)
		}
	}
	return fmt.Errorf("%s", strings.Join(why, "\n  "))
}

func TestDocumentIsOpenAPI31(t *testing.T) {
	doc, m := model(t)
	if !strings.HasPrefix(m.Version, "3.1.") {
		t.Errorf("openapi is %q", m.Version)
	}
	v, errs := validator.NewValidator(doc)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if ok, errs := v.ValidateDocument(); !ok {
		for _, e := range errs {
			t.Error(e)
		}
	}
}

// component names what #/components/… points to.
type component struct{ kind, name string }

// references are all references in a part of the document; discriminators name
// what their schema refers to anyway.
func references(v any, found map[component]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			references(e, found)
		}
	case map[string]any:
		for name, e := range v {
			if ref, ok := e.(string); ok && name == "$ref" {
				at := strings.Split(ref, "/")
				found[component{at[2], at[3]}] = true
			}
			references(e, found)
		}
	}
}

// whole is the document as plain values.
func whole(t testing.TB) map[string]any {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(openapi.Document, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryComponentIsThereAndUsed(t *testing.T) {
	d := whole(t)
	used := map[component]bool{
		{"securitySchemes", "key"}:        true,
		{"responses", "MethodNotAllowed"}: true, // of methods that no operation has
	}
	references(d, used)
	there := map[component]bool{}
	for kind, named := range d["components"].(map[string]any) {
		for name := range named.(map[string]any) {
			there[component{kind, name}] = true
		}
	}
	for c := range used {
		if !there[c] {
			t.Errorf("%v is referred to and not there", c)
		}
	}
	for c := range there {
		if !used[c] {
			t.Errorf("%v is there and nothing refers to it", c)
		}
	}
}

func TestEveryExampleFits(t *testing.T) {
	_, m := model(t)
	n := 0
	check := func(where string, s *base.SchemaProxy, value any) {
		n++
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(s.Schema(), string(b)); err != nil {
			t.Errorf("%s: %s does not fit: %v", where, b, err)
		}
	}
	content := func(where string, media *v3.MediaType) {
		for name, e := range media.Examples.FromOldest() {
			var v any
			if err := e.Value.Decode(&v); err != nil {
				t.Fatal(err)
			}
			check(where+" "+name, media.Schema, v)
		}
	}
	for path, item := range m.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			where := method + " " + path
			for _, p := range append(item.Parameters, op.Parameters...) {
				var v any
				if p.Example != nil {
					if err := p.Example.Decode(&v); err != nil {
						t.Fatal(err)
					}
					check(where+" "+p.Name, p.Schema, v)
				}
			}
			if op.RequestBody != nil {
				for _, media := range op.RequestBody.Content.FromOldest() {
					content(where, media)
				}
			}
			for status, r := range op.Responses.Codes.FromOldest() {
				for kind, media := range r.Content.FromOldest() {
					content(where+" "+status+" "+kind, media)
				}
			}
		}
	}
	for name, p := range m.Components.Schemas.FromOldest() {
		for _, e := range p.Schema().Examples {
			var v any
			if err := e.Decode(&v); err != nil {
				t.Fatal(err)
			}
			check(name, p, v)
		}
	}
	if n < 30 {
		t.Errorf("only %d examples were found", n)
	}
}
