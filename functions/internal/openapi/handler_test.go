package openapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"windlass/functions/internal/openapi"
)

func get(tags ...string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
	if tags != nil {
		r.Header["If-None-Match"] = tags
	}
	openapi.Serve(w, r)
	return w
}

func TestDocumentIsNotSentToWhoHasIt(t *testing.T) {
	first := get()
	tag := first.Header().Get("ETag")
	if first.Code != http.StatusOK || first.Body.String() != string(openapi.Document) || len(tag) != 66 {
		t.Fatalf("%d, %d bytes, ETag %s", first.Code, first.Body.Len(), tag)
	}
	for _, tags := range [][]string{{tag}, {"W/" + tag}, {`"other", ` + tag}, {`"other"`, tag}, {"*"}} {
		if w := get(tags...); w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != tag || w.Header().Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("%q: %d, %d bytes, %v", tags, w.Code, w.Body.Len(), w.Header())
		}
	}
	for _, tags := range [][]string{{""}, {`"other"`}, {tag[1:65]}, {"W/"}} {
		if w := get(tags...); w.Code != http.StatusOK {
			t.Errorf("%q: %d", tags, w.Code)
		}
	}
}
