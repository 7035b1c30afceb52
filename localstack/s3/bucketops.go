package s3

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
)

func (c *call) listBuckets() error {
	var doc document
	doc.begin("ListAllMyBucketsResult", namespace)
	doc.start("Buckets")
	for _, b := range c.buckets.sorted() {
		doc.start("Bucket")
		doc.text("Name", b.Name)
		doc.text("CreationDate", timestamp(b.Created))
		doc.text("BucketRegion", c.options.Region)
		doc.end("Bucket")
	}
	doc.end("Buckets")
	doc.start("Owner")
	doc.text("ID", c.options.Account)
	doc.end("Owner")
	doc.end("ListAllMyBucketsResult")
	return doc.answer(c.w)
}

// createBucket of a bucket that exists succeeds in us-east-1 alone, as at AWS.
func (c *call) createBucket() error {
	if err := c.location(); err != nil {
		return err
	}
	err := c.makeBucket(BucketSpec{Name: c.name}, false)
	var e *Error
	owned := errors.As(err, &e) && e.Code == "BucketAlreadyOwnedByYou"
	if err != nil && !(owned && c.options.Region == "us-east-1") {
		return err
	}
	c.w.Header().Set("Location", "/"+c.name)
	c.w.WriteHeader(http.StatusOK)
	return nil
}

// location refuses a bucket for another region, and any other wish.
func (c *call) location() error {
	const limit = 4 << 10
	if c.r.ContentLength > limit {
		return fault("MalformedXML")
	}
	var body bytes.Buffer
	if c.r.Body != nil {
		if _, err := body.ReadFrom(io.LimitReader(c.r.Body, limit)); err != nil {
			return err
		}
	}
	if body.Len() == 0 {
		return nil
	}
	var in struct {
		XMLName  xml.Name `xml:"CreateBucketConfiguration"`
		Location string   `xml:"LocationConstraint"`
		Others   []struct {
			XMLName xml.Name
		} `xml:",any"`
	}
	if err := xml.Unmarshal(body.Bytes(), &in); err != nil {
		return fault("MalformedXML")
	}
	for _, other := range in.Others {
		return unmodelled("element " + other.XMLName.Local + " of CreateBucket")
	}
	if in.Location != "" && in.Location != c.options.Region {
		return fault("InvalidLocationConstraint").with("LocationConstraint", in.Location)
	}
	return nil
}

func (c *call) headBucket() error {
	c.w.Header().Set("X-Amz-Bucket-Region", c.options.Region)
	c.w.WriteHeader(http.StatusOK)
	return nil
}

func (c *call) deleteBucket() error {
	if err := c.dropBucket(c.bucket); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
