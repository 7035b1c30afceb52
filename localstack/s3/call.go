package s3

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxKey is the longest key, in bytes of UTF-8.
const maxKey = 1024

// maxDrain is how much of a refused body is read. A client that still sends
// when the connection closes may never see the answer.
const maxDrain = 16 << 20

// call is one request on its way to one operation.
type call struct {
	*Service
	w       http.ResponseWriter
	r       *http.Request
	id      string
	name    string // of the bucket; "" for the service itself
	key     string // "" for the bucket itself
	query   url.Values
	amz     map[string]string // x-amz-* by lower-case name, from headers and query
	bucket  *bucket
	started bool // the status has been sent
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	c := &call{Service: s, w: w, r: r, id: rand.Text()[:16]}
	w.Header().Set("X-Amz-Request-Id", c.id)
	err := c.run()
	if err == nil {
		return
	}
	if c.started {
		panic(http.ErrAbortHandler) // the client must see that the rest is missing
	}
	if r.Body != nil {
		c.patience()
		_, _ = io.CopyN(io.Discard, r.Body, maxDrain)
	}
	c.refuse(err)
}

func (c *call) run() error {
	if err := c.target(); err != nil {
		return err
	}
	if err := c.parameters(); err != nil {
		return err
	}
	op, err := c.operation()
	if err != nil {
		return err
	}
	if err := c.allow(op); err != nil {
		return err
	}
	if owner, given := c.amz["x-amz-expected-bucket-owner"]; given && owner != c.options.Account {
		return fault("AccessDenied")
	}
	if c.name != "" && !op.makesBucket {
		if c.bucket = c.buckets.get(c.name); c.bucket == nil {
			if !validBucketName(c.name) {
				return fault("InvalidBucketName").with("BucketName", c.name)
			}
			return noBucket(c.name)
		}
	}
	if c.options.Fault != nil {
		if f := c.options.Fault(op.name, c.name, c.key); f != nil {
			return f.run(c, op)
		}
	}
	return op.run(c)
}

// target takes bucket and key from the path as it came over the wire: only there
// does an escaped slash differ from a plain one.
func (c *call) target() error {
	path, _, _ := strings.Cut(c.r.RequestURI, "?")
	if !strings.HasPrefix(path, "/") {
		path = c.r.URL.EscapedPath()
	}
	var err error
	c.name, c.key, err = splitPath(path)
	if err == nil && c.name == "" && c.key != "" {
		return fault("InvalidURI")
	}
	return err
}

// splitPath parses /{bucket}/{key...}. Nothing is cleaned: every byte after the
// second slash is the key's.
func splitPath(path string) (bucket, key string, err error) {
	rawBucket, rawKey, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if bucket, err = url.PathUnescape(rawBucket); err != nil {
		return "", "", fault("InvalidURI")
	}
	if key, err = url.PathUnescape(rawKey); err != nil {
		return "", "", fault("InvalidURI")
	}
	return bucket, key, checkKey(key)
}

func checkKey(key string) error {
	switch {
	case !utf8.ValidString(key):
		return fault("InvalidURI")
	case len(key) > maxKey:
		return fault("KeyTooLongError").with("MaxSizeAllowed", "1024")
	}
	return nil
}
