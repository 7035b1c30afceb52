package contract

import (
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
)

const helloTag = `"5d41402abc4b2a76b9719d911017c592"` // md5 of hello

func putAndGet(s *subject) {
	bucket := s.bucket()
	out := s.put("a/b.txt", "hello")
	s.equal("ETag of the put", aws.ToString(out.ETag), helloTag)
	s.holds("a/b.txt", "hello")
	s.put("a/b.txt", "hello, hello")
	s.holds("a/b.txt", "hello, hello")
	s.put("empty", "")
	s.holds("empty", "")
	_, err := s.client.DeleteObject(s.ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/b.txt")})
	s.ok(err)
	s.lacks("a/b.txt")
	_, err = s.client.DeleteObject(s.ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/b.txt")})
	s.ok(err)
	large := strings.Repeat("0123456789abcdef", 3<<16) // 3 MB: the SDK waits for 100 Continue
	s.put("large", large)
	s.holds("large", large)
}

func headersAndMetadata(s *subject) {
	bucket, key := s.bucket(), aws.String("k")
	before := time.Now().Add(-5 * time.Minute) // clocks differ
	_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("hello"),
		ContentType: aws.String("text/markdown; charset=utf-8"), CacheControl: aws.String("max-age=60"), ContentDisposition: aws.String(`attachment; filename="a b.md"`),
		ContentEncoding: aws.String("identity"), ContentLanguage: aws.String("de"), Metadata: map[string]string{"Session": "01ABC", "empty-ish": "-"}})
	s.ok(err)
	got, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: key})
	s.ok(err)
	got.Body.Close()
	head, err := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key})
	s.ok(err)
	meta := map[string]string{"session": "01ABC", "empty-ish": "-"}
	if d := cmp.Diff(meta, got.Metadata) + cmp.Diff(meta, head.Metadata); d != "" {
		s.Error(d)
	}
	for name, pair := range map[string][2]*string{
		"text/markdown; charset=utf-8":  {got.ContentType, head.ContentType},
		"max-age=60":                    {got.CacheControl, head.CacheControl},
		`attachment; filename="a b.md"`: {got.ContentDisposition, head.ContentDisposition},
		"de":                            {got.ContentLanguage, head.ContentLanguage},
		"identity":                      {got.ContentEncoding, head.ContentEncoding},
		helloTag:                        {got.ETag, head.ETag},
		"bytes":                         {got.AcceptRanges, head.AcceptRanges},
	} {
		if aws.ToString(pair[0]) != name || aws.ToString(pair[1]) != name {
			s.Errorf("get %q, head %q, want %q", aws.ToString(pair[0]), aws.ToString(pair[1]), name)
		}
	}
	s.equal("length", aws.ToInt64(head.ContentLength), int64(5))
	if head.LastModified == nil || head.LastModified.Before(before) || head.LastModified.Nanosecond() != 0 {
		s.Errorf("last modified %v", head.LastModified)
	}
	up, err := s3.NewPresignClient(s.client).PresignPutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("plain")})
	s.ok(err) // of itself, the SDK sends application/octet-stream
	s.answered("put without type", s.send("PUT", up.URL, "x", nil), 200, "")
	plain, err := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: bucket, Key: aws.String("plain")})
	s.ok(err)
	s.equal("default type", aws.ToString(plain.ContentType), "binary/octet-stream")
	_, err = s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("fat"), Metadata: map[string]string{"a": strings.Repeat("x", 2048)}})
	s.refused(err, 400, "MetadataTooLarge")
	s.lacks("fat")
}

func absent(s *subject) {
	bucket, key := s.bucket(), aws.String("nobody")
	s.lacks("nobody")
	_, err := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key})
	s.refused(err, 404, "NotFound")
	nowhere := aws.String(s.name + "-x")
	_, err = s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: nowhere, Key: key})
	s.refused(err, 404, "NoSuchBucket")
	_, err = s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: nowhere, Key: key, Body: strings.NewReader("hello")})
	s.refused(err, 404, "NoSuchBucket")
	_, err = s.client.DeleteObject(s.ctx, &s3.DeleteObjectInput{Bucket: nowhere, Key: key})
	s.refused(err, 404, "NoSuchBucket")
	_, err = s.client.ListObjectsV2(s.ctx, &s3.ListObjectsV2Input{Bucket: nowhere})
	s.refused(err, 404, "NoSuchBucket")
	_, err = s.client.HeadBucket(s.ctx, &s3.HeadBucketInput{Bucket: nowhere})
	s.refused(err, 404, "NotFound")
}

// oddNames are keys that a file system, a URL or an XML document could mistake
// for something else.
var oddNames = []string{
	" ", "%", "%2F", "%25", "+", "?", "a?b=c", "#", "a b  c", "a+b", "a&b<c>\"d'", "a\\b", "a:b*c|d", "COM1", ".hidden", "x.part",
	"trailing/", "two//slashes", "a/./b", "a/b/../c", "é", "e\u0301", "日本語/文字", "\U0001F600", "~tilde", "Case", "case", "a\u2028b",
	strings.Repeat("deep/", 200) + "file", strings.Repeat("n", 1024), strings.Repeat("é", 512),
}

func oddKeys(s *subject) {
	bucket := s.bucket()
	for _, key := range oddNames {
		s.put(key, "body of "+key)
	}
	for _, key := range oddNames {
		s.holds(key, "body of "+key)
	}
	seen := map[string]bool{}
	for p := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: bucket, MaxKeys: aws.Int32(7)}); p.HasMorePages(); {
		page, err := p.NextPage(s.ctx)
		s.ok(err)
		for _, o := range page.Contents {
			seen[aws.ToString(o.Key)] = true
		}
	}
	for _, key := range oddNames {
		if !seen[key] {
			s.Errorf("key %q is not listed", key)
		}
	}
	s.equal("listed", len(seen), len(oddNames))
}

func longKeys(s *subject) {
	bucket := s.bucket()
	for _, key := range []string{strings.Repeat("n", 1025), strings.Repeat("é", 513)} {
		_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader("x")})
		s.refused(err, 400, "KeyTooLongError")
	}
}

func ranges(s *subject) {
	bucket, key := s.bucket(), aws.String("digits")
	s.put("digits", "0123456789")
	s.put("empty", "")
	for text, want := range map[string]string{
		"bytes=0-0": "0", "bytes=0-9": "0123456789", "bytes=3-5": "345", "bytes=7-": "789", "bytes=-3": "789", "bytes=8-100": "89", "bytes=-100": "0123456789",
	} {
		out, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: key, Range: &text})
		s.ok(err)
		got, err := io.ReadAll(out.Body)
		s.ok(err)
		out.Body.Close()
		at := strings.Index("0123456789", want)
		s.equal(text, string(got), want)
		s.equal("content range of "+text, aws.ToString(out.ContentRange), "bytes "+string(rune('0'+at))+"-"+string(rune('0'+at+len(want)-1))+"/10")
	}
	head, err := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=2-4")})
	s.ok(err)
	s.equal("length of a part", aws.ToInt64(head.ContentLength), int64(3))
	for _, text := range []string{"bytes=10-", "bytes=10-12", "bytes=-0"} {
		_, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: key, Range: &text})
		s.refused(err, 416, "InvalidRange")
	}
	_, err = s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("empty"), Range: aws.String("bytes=0-")})
	s.refused(err, 416, "InvalidRange")
}
