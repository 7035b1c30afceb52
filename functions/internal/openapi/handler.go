package openapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// Document is the document, as JSON. It is shared: nobody may change it.
//
//go:embed openapi.json
var Document []byte

var etag = func() string {
	sum := sha256.Sum256(Document)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}()

// Serve answers with the document. It asks for no key: the document says what the
// source says, and holds no data.
func Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "public, max-age=300")
	if known(r.Header["If-None-Match"]) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(Document) // a client that is gone needs no answer
}

// known reports whether one of the tags is the document's (RFC 9110, 13.1.2: the
// weak comparison).
func known(tags []string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(tags, ","), ","), func(tag string) bool {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		return tag == "*" || tag == etag
	})
}
