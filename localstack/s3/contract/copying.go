package contract

import (
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func (s *subject) copy(in *s3.CopyObjectInput, from string) (*s3.CopyObjectOutput, error) {
	in.Bucket, in.CopySource = &s.name, aws.String(s.name+"/"+url.PathEscape(from))
	return s.client.CopyObject(s.ctx, in)
}

func copies(s *subject) {
	bucket := s.bucket()
	from := "from é+%"
	_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: &from, Body: strings.NewReader("hello"), ContentType: aws.String("text/plain"), Metadata: map[string]string{"a": "1"}})
	s.ok(err)
	out, err := s.copy(&s3.CopyObjectInput{Key: aws.String("kept")}, from)
	s.ok(err)
	s.equal("ETag", aws.ToString(out.CopyObjectResult.ETag), helloTag)
	_, err = s.copy(&s3.CopyObjectInput{Key: aws.String("replaced"), MetadataDirective: types.MetadataDirectiveReplace, ContentType: aws.String("x/y"), Metadata: map[string]string{"b": "2"}}, from)
	s.ok(err)
	_, err = s.client.DeleteObject(s.ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: &from})
	s.ok(err)
	for key, want := range map[string][2]string{"kept": {"text/plain", "a1"}, "replaced": {"x/y", "b2"}} {
		s.holds(key, "hello")
		head, err := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: bucket, Key: &key})
		s.ok(err)
		s.equal("type of "+key, aws.ToString(head.ContentType), want[0])
		s.equal("metadata of "+key, head.Metadata[want[1][:1]], want[1][1:])
		s.equal("metadata of "+key, len(head.Metadata), 1)
	}
}

func copyRefusals(s *subject) {
	s.bucket()
	s.put("a", "hello")
	_, err := s.copy(&s3.CopyObjectInput{Key: aws.String("b")}, "nobody")
	s.refused(err, 404, "NoSuchKey")
	_, err = s.copy(&s3.CopyObjectInput{Key: aws.String("a")}, "a")
	s.refused(err, 400, "InvalidRequest")
	s.put("taken", "old")
	_, err = s.copy(&s3.CopyObjectInput{Key: aws.String("taken"), IfNoneMatch: aws.String("*")}, "a")
	s.refused(err, 412, "PreconditionFailed")
	s.holds("taken", "old")
}

func buckets(s *subject) {
	bucket := s.bucket()
	_, err := s.client.HeadBucket(s.ctx, &s3.HeadBucketInput{Bucket: bucket})
	s.ok(err)
	_, err = s.client.CreateBucket(s.ctx, &s3.CreateBucketInput{Bucket: bucket})
	s.ok(err) // us-east-1 alone answers so
	all, err := s.client.ListBuckets(s.ctx, &s3.ListBucketsInput{})
	s.ok(err)
	found := false
	for _, b := range all.Buckets {
		found = found || aws.ToString(b.Name) == *bucket && b.CreationDate != nil
	}
	s.equal("listed", found, true)
	s.put("k", "old")
	_, err = s.client.DeleteBucket(s.ctx, &s3.DeleteBucketInput{Bucket: bucket})
	s.refused(err, 409, "BucketNotEmpty")
	s.holds("k", "old")
	s.clear(*bucket)
	_, err = s.client.HeadBucket(s.ctx, &s3.HeadBucketInput{Bucket: bucket})
	s.refused(err, 404, "NotFound")
	_, err = s.client.DeleteBucket(s.ctx, &s3.DeleteBucketInput{Bucket: bucket})
	s.refused(err, 404, "NoSuchBucket")
	for _, name := range []string{"Upper-Case", "under_score", "ab", "192.168.5.4", "a..b", "-dash", strings.Repeat("x", 64)} {
		_, err := s.client.CreateBucket(s.ctx, &s3.CreateBucketInput{Bucket: &name})
		s.refused(err, 400, "InvalidBucketName")
	}
	_, err = s.client.CreateBucket(s.ctx, &s3.CreateBucketInput{Bucket: aws.String(*bucket + "-eu"), CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: "narnia-1"}})
	s.refused(err, 400, "InvalidLocationConstraint")
}

func expectedOwner(s *subject) {
	bucket, stranger := s.bucket(), aws.String("999999999999")
	_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("k"), Body: strings.NewReader("x"), ExpectedBucketOwner: stranger})
	s.refused(err, 403, "AccessDenied")
	s.lacks("k")
	s.put("k", "x")
	_, err = s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("k"), ExpectedBucketOwner: stranger})
	s.refused(err, 403, "AccessDenied")
}
