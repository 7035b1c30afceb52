package s3

import (
	"net/http"
	"strings"
)

const (
	metaPrefix = "x-amz-meta-"
	maxMeta    = 2 << 10 // names and values
	maxHeaders = 8 << 10 // likewise, of the others
)

// keptHeaders are stored with an object and come back with it.
var keptHeaders = []string{"Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Expires"}

const defaultContentType = "binary/octet-stream"

// describe fills in what the request's headers say about the object.
func (c *call) describe(o *object) error {
	o.Headers, o.Meta = map[string]string{}, map[string]string{}
	total := 0
	for _, name := range keptHeaders {
		if value, given := c.header(name); given && value != "" {
			if !plain(value) {
				return invalid(name, value, "Only printable US-ASCII is kept in headers")
			}
			o.Headers[name] = value
			total += len(name) + len(value)
		}
	}
	if total > maxHeaders {
		return fault("MetadataTooLarge")
	}
	total = 0
	for name, value := range c.amz {
		if short, ok := strings.CutPrefix(name, metaPrefix); ok {
			if !plain(value) {
				return invalid(name, value, "Only printable US-ASCII is kept in metadata")
			}
			o.Meta[short] = value
			total += len(short) + len(value)
		}
	}
	if total > maxMeta {
		return fault("MetadataTooLarge").with("MaxSizeAllowed", "2048")
	}
	return nil
}

// plain tells whether a value comes back from a header as it was.
func plain(value string) bool {
	for i := range len(value) {
		if value[i] != '\t' && (value[i] < ' ' || value[i] > '~') {
			return false
		}
	}
	return true
}

// show writes the object's headers and metadata to the answer. Names of metadata
// go out in lower case, as S3 writes them.
func (o *object) show(h http.Header) {
	h.Set("Content-Type", defaultContentType)
	for name, value := range o.Headers {
		h.Set(name, value)
	}
	for name, value := range o.Meta {
		h[metaPrefix+name] = []string{value}
	}
}

// override shows the object and lets response-* parameters have their way. S3
// takes them from signed requests alone; here there are no others.
func (c *call) override(o *object, h http.Header) error {
	for name := range c.query {
		if header, ok := strings.CutPrefix(name, "response-"); ok {
			value := c.query.Get(name)
			if !plain(value) {
				return invalid(name, value, "Only printable US-ASCII can stand in a header")
			}
			defer h.Set(header, value)
		}
	}
	o.show(h)
	return nil
}
