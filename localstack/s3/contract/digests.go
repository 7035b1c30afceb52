package contract

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// sums of hello, and the header of each.
var sums = map[types.ChecksumAlgorithm]string{
	types.ChecksumAlgorithmCrc32:     "NhCmhg==",
	types.ChecksumAlgorithmCrc32c:    "mnG7TA==",
	types.ChecksumAlgorithmCrc64nvme: "M3eFcAZSQlc=",
	types.ChecksumAlgorithmSha1:      "qvTGHdzF6KLavt4PO0gs2a6pQ00=",
	types.ChecksumAlgorithmSha256:    "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
}

func (s *subject) sum(key string) map[types.ChecksumAlgorithm]string {
	s.Helper()
	out, err := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: &s.name, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
	s.ok(err)
	found := map[types.ChecksumAlgorithm]string{}
	for name, value := range map[types.ChecksumAlgorithm]*string{
		types.ChecksumAlgorithmCrc32: out.ChecksumCRC32, types.ChecksumAlgorithmCrc32c: out.ChecksumCRC32C, types.ChecksumAlgorithmCrc64nvme: out.ChecksumCRC64NVME,
		types.ChecksumAlgorithmSha1: out.ChecksumSHA1, types.ChecksumAlgorithmSha256: out.ChecksumSHA256,
	} {
		if value != nil {
			found[name] = *value
		}
	}
	return found
}

// checksums are verified by the server, kept, answered, and verified by the SDK.
func checksums(s *subject) {
	bucket := s.bucket()
	for algorithm, want := range sums {
		key := string(algorithm)
		_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader("hello"), ChecksumAlgorithm: algorithm})
		s.ok(err)
		s.equal(key, fmt.Sprint(s.sum(key)), fmt.Sprint(map[types.ChecksumAlgorithm]string{algorithm: want}))
		out, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
		s.ok(err)
		body, err := io.ReadAll(out.Body)
		s.ok(err)
		out.Body.Close()
		s.equal("body", string(body), "hello")
	}
}

func checksumDefault(s *subject) {
	s.bucket()
	s.put("k", "hello")
	s.equal("checksum", fmt.Sprint(s.sum("k")), "map[CRC64NVME:M3eFcAZSQlc=]")
}

func wrongDigests(s *subject) {
	bucket := s.bucket()
	put := func(key string, edit func(*s3.PutObjectInput), options ...func(*s3.Options)) error {
		in := &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader("HELLO")}
		edit(in)
		_, err := s.client.PutObject(s.ctx, in, options...)
		return err
	}
	for algorithm, sum := range sums {
		err := put(string(algorithm), func(in *s3.PutObjectInput) {
			switch algorithm {
			case types.ChecksumAlgorithmCrc32:
				in.ChecksumCRC32 = &sum
			case types.ChecksumAlgorithmCrc32c:
				in.ChecksumCRC32C = &sum
			case types.ChecksumAlgorithmCrc64nvme:
				in.ChecksumCRC64NVME = &sum
			case types.ChecksumAlgorithmSha1:
				in.ChecksumSHA1 = &sum
			case types.ChecksumAlgorithmSha256:
				in.ChecksumSHA256 = &sum
			}
		})
		s.refused(err, 400, "BadDigest")
		s.lacks(string(algorithm))
	}
	s.refused(put("md5", func(in *s3.PutObjectInput) { in.ContentMD5 = aws.String("XUFAKrxLKna5cZ2REBfFkg==") }), 400, "BadDigest")
	s.refused(put("short md5", func(in *s3.PutObjectInput) { in.ContentMD5 = aws.String("XUFA") }), 400, "InvalidDigest")
	s.refused(put("short sha256", func(in *s3.PutObjectInput) { in.ChecksumSHA256 = aws.String("XUFA") }), 400, "InvalidRequest")
	s.refused(put("two", func(in *s3.PutObjectInput) {
		in.ChecksumSHA256, in.ChecksumSHA1 = aws.String(sums[types.ChecksumAlgorithmSha256]), aws.String(sums[types.ChecksumAlgorithmSha1])
	}), 400, "InvalidRequest")
	s.refused(put("hash", func(*s3.PutObjectInput) {}, swapBody("hullo")), 400, "XAmzContentSHA256Mismatch")
	for _, key := range []string{"md5", "short md5", "short sha256", "two", "hash"} {
		s.lacks(key)
	}
}

// swapBody sends another body than the one that was signed.
func swapBody(body string) func(*s3.Options) {
	swap := middleware.FinalizeMiddlewareFunc("swap", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		request, err := in.Request.(*smithyhttp.Request).SetStream(strings.NewReader(body))
		if err != nil {
			return middleware.FinalizeOutput{}, middleware.Metadata{}, err
		}
		in.Request = request
		return next.HandleFinalize(ctx, in)
	})
	return func(o *s3.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error { return stack.Finalize.Insert(swap, "Signing", middleware.After) })
	}
}
