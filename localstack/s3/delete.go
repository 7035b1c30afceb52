package s3

import (
	"bytes"
	"net/http"
)

// deleteObject answers the same whether there was an object or not.
func (c *call) deleteObject() error {
	removed, err := c.index.remove(c.bucket, c.key)
	if err != nil {
		return err
	}
	c.bodies.remove(removed...)
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

const (
	maxDelete     = 1000
	maxDeleteBody = 8 << 20 // a thousand longest keys, escaped
)

// deleteObjects removes all of its keys in one commit.
func (c *call) deleteObjects() error {
	if _, given := c.query["delete"]; !given {
		return unmodelled("POST on a bucket without ?delete")
	}
	body, err := c.readXML(maxDeleteBody)
	if err != nil {
		return err
	}
	in, err := parseDelete(body)
	if err != nil {
		return err
	}
	removed, err := c.index.remove(c.bucket, in.keys...)
	if err != nil {
		return err
	}
	c.bodies.remove(removed...)
	var doc document
	doc.begin("DeleteResult", namespace)
	for _, key := range in.keys {
		if in.quiet {
			break
		}
		doc.start("Deleted")
		doc.text("Key", key)
		doc.end("Deleted")
	}
	doc.end("DeleteResult")
	return doc.answer(c.w)
}

// readXML reads a small body, with the digest that S3 demands of one.
func (c *call) readXML(limit int64) ([]byte, error) {
	if err := checkLength(c.r); err != nil {
		return nil, err
	}
	if c.r.ContentLength > limit {
		return nil, faultf("MalformedXML", "The XML you provided is too large")
	}
	said, err := c.claim()
	if err != nil {
		return nil, err
	}
	if said.md5 == nil && said.sum == nil {
		return nil, faultf("InvalidRequest", "Missing required header for this request: Content-MD5")
	}
	var body bytes.Buffer
	if err := c.receive(&body, said, &object{}); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}
