package s3

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"time"
)

// getObject answers HEAD as well: the same headers, no body.
func (c *call) getObject() error {
	o, file, err := c.open()
	if err != nil {
		return err
	}
	defer file.Close()
	h := c.w.Header()
	h.Set("ETag", o.etag())
	h.Set("Last-Modified", time.UnixMilli(o.Modified).UTC().Format(http.TimeFormat))
	h.Set("Accept-Ranges", "bytes")
	unchanged, err := c.readCondition(o)
	if err != nil {
		return err
	}
	if unchanged {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	part, status, err := c.part(o)
	if err != nil {
		return err
	}
	if err := c.override(o, h); err != nil {
		return err
	}
	h.Set("X-Amz-Server-Side-Encryption", "AES256")
	if status == http.StatusOK && c.amz["x-amz-checksum-mode"] != "" {
		o.Checksum.show(h)
	}
	h.Set("Content-Length", strconv.FormatInt(part.size, 10))
	c.w.WriteHeader(status)
	c.started = true
	if c.r.Method == http.MethodHead {
		return nil
	}
	if _, err := file.Seek(part.from, io.SeekStart); err != nil {
		return err
	}
	return c.send(file, part.size)
}

// part is what the answer holds of the object.
func (c *call) part(o *object) (span, int, error) {
	text, given := c.header("Range")
	if !given {
		return span{0, o.Size}, http.StatusOK, nil
	}
	part, err := parseRange(text, o.Size)
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Code == "InvalidRange" {
			c.w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(o.Size, 10))
		}
		return part, 0, err
	}
	c.w.Header().Set("Content-Range", part.contentRange(o.Size))
	return part, http.StatusPartialContent, nil
}

// maxReopen bounds how often a reader can be overtaken by writers.
const maxReopen = 16

// open finds the object and opens its body. Between the two a writer may have
// replaced it and removed the body; then there is a newer one to be found.
func (c *call) open() (*object, *os.File, error) {
	for range maxReopen {
		o, err := c.index.get(c.bucket, c.key)
		if err != nil {
			return nil, nil, err
		}
		if o == nil {
			return nil, nil, noKey(c.key)
		}
		file, err := c.bodies.open(o.Body)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return o, file, err
	}
	return nil, nil, faultf("InternalError", "The body of this object is missing.")
}
