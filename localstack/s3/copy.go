package s3

import (
	"io"
	"strings"
)

// copyObject copies the body's bytes: two objects never share a file, so that
// removing one needs to know nothing of the other.
func (c *call) copyObject() error {
	if c.r.ContentLength > 0 {
		return invalid("x-amz-copy-source", c.amz["x-amz-copy-source"], "A copy has no body")
	}
	source, err := c.source()
	if err != nil {
		return err
	}
	o := &object{}
	replace, err := c.replaces(source, o)
	if err != nil {
		return err
	}
	when, err := c.mayWrite()
	if err != nil {
		return err
	}
	from, file, err := source.open()
	if err != nil {
		return err
	}
	defer file.Close()
	o.Size, o.MD5, o.Checksum = from.Size, from.MD5, from.Checksum
	if !replace {
		o.Headers, o.Meta = from.Headers, from.Meta
	}
	body, err := c.bodies.create()
	if err != nil {
		return err
	}
	if _, err := io.CopyN(body, file, from.Size); err != nil {
		body.drop()
		return err
	}
	if err := c.publish(body, when, o); err != nil {
		return err
	}
	return o.copied().answer(c.w)
}

func (o *object) copied() *document {
	doc := &document{}
	doc.begin("CopyObjectResult", namespace)
	doc.text("LastModified", timestamp(o.Modified))
	doc.text("ETag", o.etag())
	doc.text("Checksum"+strings.ToUpper(o.Checksum.Algorithm), o.Checksum.Value)
	doc.text("ChecksumType", "FULL_OBJECT")
	doc.end("CopyObjectResult")
	return doc
}

// source is a call that stands at the object to be copied.
func (c *call) source() (*call, error) {
	text := c.amz["x-amz-copy-source"]
	path, version, versioned := strings.Cut(text, "?")
	if versioned {
		return nil, unmodelled("x-amz-copy-source with ?" + version)
	}
	name, key, err := splitPath("/" + strings.TrimPrefix(path, "/"))
	if err != nil || name == "" || key == "" {
		return nil, invalid("x-amz-copy-source", text, "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
	}
	if owner, given := c.amz["x-amz-source-expected-bucket-owner"]; given && owner != c.options.Account {
		return nil, fault("AccessDenied")
	}
	b := c.buckets.get(name)
	if b == nil {
		return nil, noBucket(name)
	}
	return &call{Service: c.Service, bucket: b, name: name, key: key}, nil
}

// replaces tells whether the copy gets new headers and metadata, and fills them
// in. Those that come without being asked for are refused.
func (c *call) replaces(source *call, o *object) (bool, error) {
	if err := c.describe(o); err != nil {
		return false, err
	}
	switch directive := c.amz["x-amz-metadata-directive"]; directive {
	case "REPLACE":
		return true, nil
	case "", "COPY":
		if source.name == c.name && source.key == c.key {
			return false, faultf("InvalidRequest", "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.")
		}
		if len(o.Meta)+len(o.Headers) > 0 {
			return false, unmodelled("new metadata or headers without x-amz-metadata-directive: REPLACE")
		}
		return false, nil
	default:
		return false, invalid("x-amz-metadata-directive", directive, "Unknown metadata directive.")
	}
}
