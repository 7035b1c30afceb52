package s3

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// maxPage is the largest page of a listing.
const maxPage = 1000

// listing is one page: what is asked for, and what was found.
type listing struct {
	prefix, delimiter, startAfter, token string
	from                                 place
	size                                 int
	escaped                              bool

	contents  []entry
	prefixes  []string
	next      place
	truncated bool
}

type entry struct {
	key string
	object
}

func (c *call) listObjects() error {
	if c.query.Get("list-type") != "2" {
		return unmodelled("GET on a bucket without list-type=2 (ListObjects, version 1)")
	}
	l, err := c.parseListing()
	if err != nil {
		return err
	}
	err = c.index.db.View(func(tx *bbolt.Tx) error {
		objects := tx.Bucket(objectsBucket(c.bucket.ID))
		if objects == nil {
			return noBucket(c.name)
		}
		return l.walk(objects.Cursor())
	})
	if err != nil {
		return err
	}
	return l.document(c.name).answer(c.w)
}

func (c *call) parseListing() (*listing, error) {
	q := c.query
	l := &listing{prefix: q.Get("prefix"), delimiter: q.Get("delimiter"), startAfter: q.Get("start-after"), token: q.Get("continuation-token"), size: maxPage}
	if text := q.Get("max-keys"); text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 {
			return nil, invalid("max-keys", text, "Argument maxKeys must be an integer between 0 and 2147483647")
		}
		l.size = int(min(n, maxPage))
	}
	switch encoding := q.Get("encoding-type"); encoding {
	case "":
	case "url":
		l.escaped = true
	default:
		return nil, invalid("encoding-type", encoding, "Invalid Encoding Method specified in Request")
	}
	if owner := q.Get("fetch-owner"); owner != "" && owner != "false" {
		return nil, unmodelled("fetch-owner")
	}
	l.from = place{key: l.startAfter}
	if _, given := q["continuation-token"]; given {
		from, ok := parseToken(l.token)
		if !ok {
			return nil, invalid("continuation-token", l.token, "The continuation token provided is incorrect")
		}
		l.from = from
	}
	return l, nil
}

// walk collects the page in key order. Below a common prefix it seeks past all
// that is rolled up, so that a page costs what it shows.
func (l *listing) walk(cursor *bbolt.Cursor) error {
	if l.size == 0 {
		return nil
	}
	prefix := []byte(l.prefix)
	key, data := cursor.Seek(later(prefix, l.from.first()))
	for key != nil && bytes.HasPrefix(key, prefix) {
		if len(l.contents)+len(l.prefixes) == l.size {
			l.truncated = true
			return nil
		}
		common, rolled := l.rollUp(string(key))
		if rolled {
			l.prefixes = append(l.prefixes, common)
			l.next = place{key: common, whole: true}
			if after := successor(common); after == nil {
				key = nil
			} else {
				key, data = cursor.Seek(after)
			}
			continue
		}
		o, err := decodeObject(data)
		if err != nil {
			return err
		}
		l.contents = append(l.contents, entry{string(key), *o})
		l.next = place{key: string(key)}
		key, data = cursor.Next()
	}
	return nil
}

// rollUp returns the common prefix that a key belongs to, if it does.
func (l *listing) rollUp(key string) (string, bool) {
	if l.delimiter == "" {
		return "", false
	}
	at := strings.Index(key[len(l.prefix):], l.delimiter)
	if at < 0 {
		return "", false
	}
	return key[:len(l.prefix)+at+len(l.delimiter)], true
}

func later(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}

// document writes the page.
func (l *listing) document(bucket string) *document {
	name := func(s string) string { return s }
	doc := &document{}
	doc.begin("ListBucketResult", namespace)
	doc.text("Name", bucket)
	if l.escaped {
		name = escapeKey
		doc.text("EncodingType", "url")
	}
	doc.text("Prefix", name(l.prefix))
	for _, given := range [][2]string{{"Delimiter", name(l.delimiter)}, {"StartAfter", name(l.startAfter)}, {"ContinuationToken", l.token}} {
		if given[1] != "" {
			doc.text(given[0], given[1])
		}
	}
	doc.number("MaxKeys", int64(l.size))
	doc.number("KeyCount", int64(len(l.contents)+len(l.prefixes)))
	doc.text("IsTruncated", strconv.FormatBool(l.truncated))
	if l.truncated {
		doc.text("NextContinuationToken", l.next.token())
	}
	for i := range l.contents {
		e := &l.contents[i]
		doc.start("Contents")
		doc.text("Key", name(e.key))
		doc.text("LastModified", timestamp(e.Modified))
		doc.text("ETag", e.etag())
		doc.text("ChecksumAlgorithm", strings.ToUpper(e.Checksum.Algorithm))
		doc.text("ChecksumType", "FULL_OBJECT")
		doc.number("Size", e.Size)
		doc.text("StorageClass", "STANDARD")
		doc.end("Contents")
	}
	for _, prefix := range l.prefixes {
		doc.start("CommonPrefixes")
		doc.text("Prefix", name(prefix))
		doc.end("CommonPrefixes")
	}
	doc.end("ListBucketResult")
	return doc
}

// timestamp has S3's precision, which is a second.
func timestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Truncate(time.Second).Format("2006-01-02T15:04:05.000Z")
}
