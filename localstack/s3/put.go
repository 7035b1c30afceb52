package s3

import (
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"

	"windlass/localstack/sigv4"
)

// maxObject is the largest body of a single PUT.
const maxObject = 5 << 30

func (c *call) putObject() error {
	if err := checkLength(c.r); err != nil {
		return err
	}
	if c.r.ContentLength > maxObject {
		return fault("EntityTooLarge").with("ProposedSize", strconv.FormatInt(c.r.ContentLength, 10)).with("MaxSizeAllowed", strconv.Itoa(maxObject))
	}
	o := &object{}
	if err := c.describe(o); err != nil {
		return err
	}
	said, err := c.claim()
	if err != nil {
		return err
	}
	when, err := c.mayWrite()
	if err != nil {
		return err
	}
	body, err := c.bodies.create()
	if err != nil {
		return err
	}
	if err := c.receive(body, said, o); err != nil {
		body.drop()
		return err
	}
	if err := c.publish(body, when, o); err != nil {
		return err
	}
	o.showSums(c.w.Header())
	c.w.WriteHeader(http.StatusOK)
	return nil
}

// mayWrite looks at the condition before a body is read.
func (c *call) mayWrite() (condition, error) {
	when, err := c.writeCondition()
	if err != nil || !when.absent && when.etag == "" {
		return when, err
	}
	old, err := c.index.get(c.bucket, c.key)
	if err != nil {
		return when, err
	}
	return when, when.check(old)
}

// chunks are the buffers that bodies pass through.
var chunks = sync.Pool{New: func() any { b := make([]byte, 128<<10); return &b }}

// receive copies the request's body into the file and checks all that was said
// about it.
func (c *call) receive(to io.Writer, said claim, o *object) error {
	d := said.digest(to)
	n, err := c.copyBody(d)
	switch {
	case errors.Is(err, sigv4.ErrPayload):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault("RequestTimeout")
	case err != nil && c.r.Context().Err() == nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case err != nil || n != c.r.ContentLength:
		return fault("IncompleteBody")
	}
	sum, kept, err := d.check()
	o.Size, o.MD5, o.Checksum = n, hex.EncodeToString(sum), kept
	return err
}

func (c *call) copyBody(to io.Writer) (int64, error) {
	if c.r.ContentLength == 0 || c.r.Body == nil {
		return 0, nil
	}
	buffer := chunks.Get().(*[]byte)
	defer chunks.Put(buffer)
	// One byte more than declared, to find out if there is one.
	from := io.LimitReader(&patientReader{Reader: c.r.Body, c: c}, c.r.ContentLength+1)
	return io.CopyBuffer(struct{ io.Writer }{to}, from, *buffer)
}

// publish is the moment at which the object becomes visible: the index commit.
// The body is whole and in place by then, and the replaced one goes after it.
func (c *call) publish(body *draft, when condition, o *object) error {
	if err := body.keep(); err != nil {
		body.drop()
		return err
	}
	o.Body, o.Modified = body.id, c.options.Now().UnixMilli()
	replaced, err := c.index.put(c.bucket, c.key, when, o)
	if err != nil {
		body.drop()
		return err
	}
	c.bodies.remove(replaced)
	return nil
}

func (o *object) showSums(h http.Header) {
	h.Set("ETag", o.etag())
	h.Set("X-Amz-Server-Side-Encryption", "AES256")
	o.Checksum.show(h)
}

func (s checksum) show(h http.Header) {
	h.Set(checksumPrefix+s.Algorithm, s.Value)
	h.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
}
