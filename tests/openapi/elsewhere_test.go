package openapi

import (
	"net/http"
	"testing"

	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/schema_validation"

	"windlass/tests/client"
)

// What the document has no operation for is a problem that the document has.
func TestWhatIsNotInTheDocumentIsRefusedAsItSays(t *testing.T) {
	c := open(t)
	v := schema_validation.NewSchemaValidator(config.WithFormatAssertions())
	for _, x := range []struct {
		method, path, key, schema string
		status                    int
	}{
		{"GET", "/v1/nothing", c.Key, "Problem404", 404},
		{"GET", "/v1/nothing", "", "Problem401", 401},
		{"PATCH", s + "/operations", c.Key, "Problem405", 405},
		{"POST", s + "/files/a", c.Key, "Problem405", 405},
		{"DELETE", s + "/events", c.Key, "Problem405", 405},
		{"DELETE", s + "/events", "", "Problem401", 401},
		{"POST", "/openapi.json", c.Key, "Problem405", 405},
		{"GET", s + "/events/", "", "Problem422", 422},
		{"GET", "/v1//nothing", "", "Problem422", 422},
	} {
		if _, op := c.find(t, x.method, x.path); op != nil {
			t.Errorf("%s %s is in the document", x.method, x.path)
		}
		a, _ := (client.Client{URL: c.URL, Key: x.key}).Send(c.ctx, x.method, x.path, nil, nil)
		if a.Status != x.status || a.Header.Get("Content-Type") != "application/problem+json" || (x.status == http.StatusMethodNotAllowed) != (a.Header.Get("Allow") != "") {
			t.Errorf("%s %s: %d %v %s", x.method, x.path, a.Status, a.Header, a.Body)
		}
		schema := c.model.Components.Schemas.GetOrZero(x.schema).Schema()
		if ok, errs := v.ValidateSchemaBytesWithVersion(schema, a.Body, 3.1); !ok {
			t.Errorf("%s %s: %s%s", x.method, x.path, a.Body, reasons(errs))
		}
	}
}
