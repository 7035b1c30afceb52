package s3blob

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"windlass/eventstore"
)

// ListBlobs implements [eventstore.BlobEraser].
func (d *Driver) ListBlobs(ctx context.Context, s eventstore.Stream, after string, limit int) (page []eventstore.Blob, more bool, err error) {
	if limit < 1 {
		return nil, false, eventstore.Errorf(eventstore.Invalid, "list blobs", "limit %d, want 1 or more", limit)
	}
	prefix := eventstore.BlobKey{Stream: s}.String()
	in := &s3.ListObjectsV2Input{Bucket: d.bucket, Prefix: &prefix, MaxKeys: aws.Int32(int32(min(limit, eventstore.MaxErase)))}
	if after != "" {
		in.StartAfter = aws.String(prefix + after)
	}
	out, err := d.client.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, false, coded("list blobs", err)
	}
	for _, o := range out.Contents {
		page = append(page, eventstore.Blob{SHA256: strings.TrimPrefix(aws.ToString(o.Key), prefix), Put: aws.ToTime(o.LastModified)})
	}
	return page, aws.ToBool(out.IsTruncated), nil
}

// EraseBlobs implements [eventstore.BlobEraser]. S3 answers for each of them.
func (d *Driver) EraseBlobs(ctx context.Context, s eventstore.Stream, hashes []string) error {
	var all []types.ObjectIdentifier
	for _, hash := range hashes {
		all = append(all, types.ObjectIdentifier{Key: aws.String(eventstore.BlobKey{Stream: s, SHA256: hash}.String())})
	}
	out, err := d.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: d.bucket, Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)}})
	if err != nil {
		return coded("erase blobs", err)
	}
	if len(out.Errors) == 0 {
		return nil
	}
	e, code := out.Errors[0], eventstore.Unavailable
	if aws.ToString(e.Code) == "AccessDenied" {
		code = eventstore.Denied
	}
	return eventstore.Errorf(code, "erase blobs", "%s: %s: %s, and %d more", aws.ToString(e.Key), aws.ToString(e.Code), aws.ToString(e.Message), len(out.Errors)-1)
}
