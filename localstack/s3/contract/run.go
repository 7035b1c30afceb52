package contract

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Exception names a case that an endpoint is known to fail, and why.
type Exception struct{ Case, Reason string }

// cases in the order in which they run.
var cases = []struct {
	name string
	run  func(*subject)
}{
	{"put and get", putAndGet},
	{"headers and metadata", headersAndMetadata},
	{"absent keys and buckets", absent},
	{"odd keys", oddKeys},
	{"keys too long", longKeys},
	{"one winner per key", oneWinner},
	{"put if match", putIfMatch},
	{"conditional reads", conditionalReads},
	{"ranges", ranges},
	{"checksums", checksums},
	{"checksums default", checksumDefault},
	{"wrong digests store nothing", wrongDigests},
	{"list in key order", listOrder},
	{"list pages", listPages},
	{"list with delimiter", listDelimiter},
	{"list refusals", listRefusals},
	{"list url-encoded", listEncoded},
	{"delete objects", deleteMany},
	{"copy", copies},
	{"copy refusals", copyRefusals},
	{"buckets", buckets},
	{"expected bucket owner", expectedOwner},
	{"presigned put", presignedPut},
	{"presigned put refusals", presignedPutRefusals},
	{"presigned get", presignedGet},
	{"presigned expiry", presignedExpiry},
	{"unsigned requests", unsigned},
	{"transfer-encoding", transferEncoding},
}

// Run runs every case against the endpoint of the client that open returns,
// which must not retry.
func Run(t *testing.T, open func(t *testing.T) *s3.Client, except ...Exception) {
	reasons := map[string]string{}
	for _, e := range except {
		reasons[e.Case] = e.Reason
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if reason, out := reasons[c.name]; out {
				t.Skipf("OUT: %s: %s", c.name, reason)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			c.run(&subject{T: t, ctx: ctx, client: open(t)})
		})
	}
}

// subject is one case's view of the endpoint, with a bucket of its own.
type subject struct {
	*testing.T
	ctx    context.Context
	client *s3.Client
	name   string
}

// bucket makes a bucket and sees to it that it goes.
func (s *subject) bucket() *string {
	s.Helper()
	s.name = "contract-" + strings.ToLower(rand.Text())
	_, err := s.client.CreateBucket(s.ctx, &s3.CreateBucketInput{Bucket: &s.name})
	s.ok(err)
	name := s.name
	s.Cleanup(func() { s.clear(name) })
	return &name
}

// clear removes a bucket with all that it holds. The case's own context is over
// by then.
func (s *subject) clear(name string) {
	ctx := context.WithoutCancel(s.ctx)
	for p := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &name}); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			break
		}
		for _, o := range page.Contents {
			_, _ = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &name, Key: o.Key})
		}
	}
	_, _ = s.client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &name})
}

func (s *subject) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// refused demands an error with the code and the HTTP status. HEAD has no body,
// so that the SDK makes up the code from the status.
func (s *subject) refused(err error, status int, code string) {
	s.Helper()
	var api smithy.APIError
	var response *awshttp.ResponseError
	if !errors.As(err, &api) || api.ErrorCode() != code || !errors.As(err, &response) || response.HTTPStatusCode() != status {
		s.Errorf("got %v, want %d %s", err, status, code)
	}
}

func (s *subject) put(key, body string) *s3.PutObjectOutput {
	s.Helper()
	out, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: &s.name, Key: &key, Body: strings.NewReader(body)})
	s.ok(err)
	return out
}

// holds demands that the object is there with this body.
func (s *subject) holds(key, body string) {
	s.Helper()
	out, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: &s.name, Key: &key})
	s.ok(err)
	defer out.Body.Close()
	got, err := io.ReadAll(out.Body)
	s.ok(err)
	if !bytes.Equal(got, []byte(body)) || aws.ToInt64(out.ContentLength) != int64(len(body)) {
		s.Errorf("object %q holds %.100q, want %.100q", key, got, body)
	}
}

// lacks demands that there is no such object.
func (s *subject) lacks(key string) {
	s.Helper()
	_, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: &s.name, Key: &key})
	s.refused(err, 404, "NoSuchKey")
}

func (s *subject) equal(what string, got, want any) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}
