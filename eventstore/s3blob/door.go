package s3blob

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/eventstore"
)

// Door lets clients fetch and store blobs themselves, by URLs that it signs. What
// a URL allows it allows to whoever holds it, until it expires.
type Door struct {
	client *s3.Client
	signer *s3.PresignClient
	bucket *string
}

// NewDoor opens a bucket. The client's own retries stay on: a Door only reads.
func NewDoor(c *s3.Client, bucket string) *Door {
	return &Door{client: c, signer: s3.NewPresignClient(c), bucket: aws.String(bucket)}
}

// DoorOptions are [Options] with the SDK's retries.
func DoorOptions(o *s3.Options) {
	retryer := o.Retryer
	Options(o)
	o.Retryer = retryer
}

// Stat returns a blob's size and the media type that it was stored with. NotFound
// if there is no such blob.
func (d *Door) Stat(ctx context.Context, key eventstore.BlobKey) (bytes int64, mediaType string, err error) {
	out, err := d.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: d.bucket, Key: aws.String(key.String())})
	switch status(err) {
	case http.StatusNotFound:
		return 0, "", eventstore.Errorf(eventstore.NotFound, "stat blob", "%s: %w", key, err)
	case http.StatusForbidden: // a HEAD's refusal has no body that would say more
		return 0, "", eventstore.Errorf(eventstore.Denied, "stat blob", "%s: %w", key, err)
	}
	if err != nil {
		return 0, "", coded("stat blob", err)
	}
	return aws.ToInt64(out.ContentLength), aws.ToString(out.ContentType), nil
}

// FetchURL signs a GET, or a HEAD, of a blob under a media type and a
// Content-Disposition. It does not look whether the blob is there.
func (d *Door) FetchURL(ctx context.Context, key eventstore.BlobKey, method, mediaType, disposition string, life time.Duration) (string, error) {
	name, expires := aws.String(key.String()), s3.WithPresignExpires(life)
	kind, shown, cache := aws.String(mediaType), aws.String(disposition), aws.String("private, no-cache")
	if method == http.MethodHead {
		r, err := d.signer.PresignHeadObject(ctx, &s3.HeadObjectInput{Bucket: d.bucket, Key: name, ResponseContentType: kind, ResponseContentDisposition: shown, ResponseCacheControl: cache}, expires)
		if err != nil {
			return "", coded("sign fetch", err)
		}
		return r.URL, nil
	}
	r, err := d.signer.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: d.bucket, Key: name, ResponseContentType: kind, ResponseContentDisposition: shown, ResponseCacheControl: cache}, expires)
	if err != nil {
		return "", coded("sign fetch", err)
	}
	return r.URL, nil
}

// StoreURL signs a PUT of a blob: of exactly its bytes, and only while it is not
// there. The headers must be sent along; Content-Length is signed too, and follows
// from the body.
func (d *Door) StoreURL(ctx context.Context, key eventstore.BlobKey, bytes int64, mediaType string, life time.Duration) (url string, headers map[string]string, err error) {
	sum, err := hex.DecodeString(key.SHA256)
	if err != nil {
		return "", nil, eventstore.Errorf(eventstore.Invalid, "sign store", "%s: %w", key, err)
	}
	r, err := d.signer.PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: d.bucket, Key: aws.String(key.String()), ContentLength: aws.Int64(bytes), ContentType: aws.String(mediaType),
		IfNoneMatch: aws.String("*"), ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum)),
	}, s3.WithPresignExpires(life))
	if err != nil {
		return "", nil, coded("sign store", err)
	}
	headers = map[string]string{}
	for name, values := range r.SignedHeader {
		if name = strings.ToLower(name); name != "host" && name != "content-length" {
			headers[name] = strings.Join(values, ",")
		}
	}
	return r.URL, headers, nil
}
