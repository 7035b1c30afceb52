package s3blob

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"windlass/eventstore"
)

// client is what a Driver calls.
type client interface {
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
}

// Driver implements [eventstore.Blobs].
type Driver struct {
	client client
	bucket *string
}

var (
	_ eventstore.Blobs      = (*Driver)(nil)
	_ eventstore.BlobEraser = (*Driver)(nil)
)

// New keeps blobs in a bucket.
func New(c client, bucket string) *Driver { return &Driver{client: c, bucket: aws.String(bucket)} }

// Options turn off what the SDK would do besides: the Journal alone retries, and
// the one checksum that counts is sent explicitly, in a signed header; so a body need
// not be hashed again to be signed, which the SDK spares over HTTPS alone.
func Options(o *s3.Options) {
	o.Retryer = aws.NopRetryer{}
	o.UsePathStyle = o.BaseEndpoint != nil
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	o.APIOptions = append(o.APIOptions, v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware)
}

// PutBlob implements [eventstore.Blobs].
func (d *Driver) PutBlob(ctx context.Context, key eventstore.BlobKey, mediaType string, data []byte) error {
	sum, err := hex.DecodeString(key.SHA256)
	if err != nil {
		return eventstore.Errorf(eventstore.Invalid, "put blob", "%s: %w", key, err)
	}
	_, err = d.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: d.bucket, Key: aws.String(key.String()), Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
		ContentType: aws.String(mediaType), IfNoneMatch: aws.String("*"), ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum)),
	})
	if status(err) == http.StatusPreconditionFailed {
		return nil // it is there
	}
	return coded("put blob", err)
}

// GetBlob implements [eventstore.Blobs].
func (d *Driver) GetBlob(ctx context.Context, key eventstore.BlobKey, offset, n int64) ([]byte, error) {
	if n <= 0 {
		return nil, nil
	}
	out, err := d.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: d.bucket, Key: aws.String(key.String()), Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+n-1)),
	})
	if status(err) == http.StatusRequestedRangeNotSatisfiable {
		return nil, nil // it ends before
	}
	if err != nil {
		return nil, coded("get blob", err)
	}
	defer out.Body.Close()
	data := make([]byte, min(n, max(aws.ToInt64(out.ContentLength), 0)))
	if _, err := io.ReadFull(out.Body, data); err != nil {
		return nil, eventstore.Errorf(eventstore.Unavailable, "get blob", "%s: %w", key, err)
	}
	return data, nil
}

func status(err error) int {
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}

// coded gives S3's errors the log's codes. What is not known counts as no answer.
func coded(op string, err error) error {
	if err == nil {
		return nil
	}
	var missing *types.NoSuchKey
	if errors.As(err, &missing) {
		return eventstore.Errorf(eventstore.NotFound, op, "%w", err)
	}
	code := ""
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	switch code {
	case "SlowDown", "TooManyRequests", "RequestLimitExceeded", "ConditionalRequestConflict", "OperationAborted":
		return eventstore.Errorf(eventstore.Throttled, op, "%w", err)
	case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken":
		return eventstore.Errorf(eventstore.Denied, op, "%w", err)
	case "EntityTooLarge":
		return eventstore.Errorf(eventstore.TooLarge, op, "%w", err)
	case "BadDigest", "InvalidDigest", "InvalidRequest", "InvalidArgument":
		return eventstore.Errorf(eventstore.Invalid, op, "%w", err)
	}
	return eventstore.Errorf(eventstore.Unavailable, op, "%w", err)
}
