package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// list reads all pages and shows them as "key key | prefix prefix" each.
func (s *subject) list(in *s3.ListObjectsV2Input) (pages []string) {
	s.Helper()
	in.Bucket = &s.name
	for p := s3.NewListObjectsV2Paginator(s.client, in); p.HasMorePages(); {
		out, err := p.NextPage(s.ctx)
		s.ok(err)
		var keys, prefixes []string
		for _, o := range out.Contents {
			keys = append(keys, aws.ToString(o.Key))
		}
		for _, c := range out.CommonPrefixes {
			prefixes = append(prefixes, aws.ToString(c.Prefix))
		}
		s.equal("key count", int(aws.ToInt32(out.KeyCount)), len(keys)+len(prefixes))
		pages = append(pages, strings.Join(keys, " ")+"|"+strings.Join(prefixes, " "))
	}
	return pages
}

func (s *subject) pages(what string, got []string, want ...string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("%s: %q, want %q", what, got, want)
	}
}

func listOrder(s *subject) {
	s.bucket()
	s.pages("empty bucket", s.list(&s3.ListObjectsV2Input{}), "|")
	for _, key := range []string{"b", "a/2", "a/10", "B", "é", "a", "a-b", "z", "\U0001F600", "\uFFFD", "a/1"} {
		s.put(key, key)
	}
	s.pages("all, by bytes of UTF-8", s.list(&s3.ListObjectsV2Input{}), "B a a-b a/1 a/10 a/2 b z é \uFFFD \U0001F600|")
	s.pages("prefix", s.list(&s3.ListObjectsV2Input{Prefix: aws.String("a/")}), "a/1 a/10 a/2|")
	s.pages("start after", s.list(&s3.ListObjectsV2Input{StartAfter: aws.String("a/10")}), "a/2 b z é \uFFFD \U0001F600|")
	s.pages("start before the prefix", s.list(&s3.ListObjectsV2Input{Prefix: aws.String("a/"), StartAfter: aws.String("Z")}), "a/1 a/10 a/2|")
	s.pages("nothing", s.list(&s3.ListObjectsV2Input{Prefix: aws.String("nobody")}), "|")
	out, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: &s.name, Prefix: aws.String("z")})
	s.ok(err)
	o := out.Contents[0]
	s.equal("size", aws.ToInt64(o.Size), int64(1))
	s.equal("ETag", aws.ToString(o.ETag), `"fbade9e36a3f36d3d676c1b808451dd7"`)
	s.equal("class", o.StorageClass, types.ObjectStorageClassStandard)
	if o.LastModified == nil || o.LastModified.IsZero() {
		s.Error("no last modified")
	}
}

func listPages(s *subject) {
	s.bucket()
	for i := range 10 {
		s.put(fmt.Sprintf("k%d", i), "")
	}
	s.pages("threes", s.list(&s3.ListObjectsV2Input{MaxKeys: aws.Int32(3)}), "k0 k1 k2|", "k3 k4 k5|", "k6 k7 k8|", "k9|")
	s.pages("fives", s.list(&s3.ListObjectsV2Input{MaxKeys: aws.Int32(5)}), "k0 k1 k2 k3 k4|", "k5 k6 k7 k8 k9|")
	none, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: &s.name, MaxKeys: aws.Int32(0)}) // the paginator would leave it out
	s.ok(err)
	if len(none.Contents) != 0 || aws.ToBool(none.IsTruncated) {
		s.Errorf("a page of none: %d keys, truncated %v", len(none.Contents), aws.ToBool(none.IsTruncated))
	}
	s.pages("threes after k6", s.list(&s3.ListObjectsV2Input{MaxKeys: aws.Int32(2), StartAfter: aws.String("k6")}), "k7 k8|", "k9|")
	first, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: &s.name, MaxKeys: aws.Int32(2)})
	s.ok(err)
	_, err = s.client.DeleteObject(s.ctx, &s3.DeleteObjectInput{Bucket: &s.name, Key: aws.String("k1")}) // the last one shown
	s.ok(err)
	next, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: &s.name, MaxKeys: aws.Int32(1), ContinuationToken: first.NextContinuationToken})
	s.ok(err)
	s.equal("key after a deleted one", aws.ToString(next.Contents[0].Key), "k2")
	huge, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: &s.name, MaxKeys: aws.Int32(100000)})
	s.ok(err)
	s.equal("largest page", aws.ToInt32(huge.MaxKeys), int32(1000))
}

func listDelimiter(s *subject) {
	s.bucket()
	for _, key := range []string{"a", "b/1", "b/2", "b/c/3", "c/4", "d", "e//5"} {
		s.put(key, "")
	}
	slash := aws.String("/")
	s.pages("top", s.list(&s3.ListObjectsV2Input{Delimiter: slash}), "a d|b/ c/ e/")
	s.pages("below b/", s.list(&s3.ListObjectsV2Input{Delimiter: slash, Prefix: aws.String("b/")}), "b/1 b/2|b/c/")
	s.pages("one by one", s.list(&s3.ListObjectsV2Input{Delimiter: slash, MaxKeys: aws.Int32(1)}), "a|", "|b/", "|c/", "d|", "|e/")
	s.pages("two by two", s.list(&s3.ListObjectsV2Input{Delimiter: slash, MaxKeys: aws.Int32(2)}), "a|b/", "d|c/", "|e/")
	s.pages("empty segment", s.list(&s3.ListObjectsV2Input{Delimiter: slash, Prefix: aws.String("e/")}), "|e//")
	s.pages("longer delimiter", s.list(&s3.ListObjectsV2Input{Delimiter: aws.String("/c/")}), "a b/1 b/2 c/4 d e//5|b/c/")
	s.pages("half a name", s.list(&s3.ListObjectsV2Input{Delimiter: slash, Prefix: aws.String("b")}), "|b/")
}

func listRefusals(s *subject) {
	bucket := s.bucket()
	_, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: bucket, ContinuationToken: aws.String("not one of yours")})
	s.refused(err, 400, "InvalidArgument")
	_, err = s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: bucket, MaxKeys: aws.Int32(-1)})
	s.refused(err, 400, "InvalidArgument")
	_, err = s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: bucket, EncodingType: "html"})
	s.refused(err, 400, "InvalidArgument")
}

func listEncoded(s *subject) {
	bucket := s.bucket()
	s.put("dir/a\x01b", "")
	s.put("dir/é?&", "")
	out, err := s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: bucket, EncodingType: types.EncodingTypeUrl, Prefix: aws.String("dir/")})
	s.ok(err)
	var keys []string
	for _, o := range out.Contents {
		keys = append(keys, aws.ToString(o.Key))
	}
	s.pages("keys", keys, "dir/a%01b", "dir/%C3%A9%3F%26")
	s.equal("prefix", aws.ToString(out.Prefix), "dir/")
}

func deleteMany(s *subject) {
	bucket := s.bucket()
	for _, key := range []string{"a", "b&<\r\n", "keep", "c"} {
		s.put(key, "")
	}
	remove := func(quiet bool, keys ...string) (*s3.DeleteObjectsOutput, error) {
		in := &s3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Quiet: &quiet, Objects: []types.ObjectIdentifier{}}}
		for _, key := range keys {
			in.Delete.Objects = append(in.Delete.Objects, types.ObjectIdentifier{Key: &key})
		}
		return s.client.DeleteObjects(s.ctx, in)
	}
	out, err := remove(false, "a", "b&<\r\n", "nobody")
	s.ok(err)
	if len(out.Deleted) != 3 || len(out.Errors) != 0 || aws.ToString(out.Deleted[1].Key) != "b&<\r\n" {
		s.Errorf("deleted %v, errors %v", out.Deleted, out.Errors)
	}
	out, err = remove(true, "c")
	s.ok(err)
	s.equal("deleted, quietly", len(out.Deleted), 0)
	s.pages("left", s.list(&s3.ListObjectsV2Input{}), "keep|")
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprint("none/", i)
	}
	many[0] = "keep"
	_, err = remove(true, many...)
	s.refused(err, 400, "MalformedXML")
	s.holds("keep", "")
	_, err = remove(true, many[:1000]...)
	s.ok(err)
	s.lacks("keep")
	_, err = remove(true)
	s.refused(err, 400, "MalformedXML")
}
