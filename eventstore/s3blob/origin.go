package s3blob

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Origin is where the signed URLs lead, as scheme://host:port: a page's policy
// has to name it. It follows from the client's options and asks nobody.
func (d *Door) Origin() (string, error) {
	o := d.client.Options()
	at, err := o.EndpointResolverV2.ResolveEndpoint(context.Background(), s3.EndpointParameters{
		Bucket: d.bucket, Region: aws.String(o.Region), Endpoint: o.BaseEndpoint, ForcePathStyle: aws.Bool(o.UsePathStyle),
	})
	if err != nil {
		return "", fmt.Errorf("s3blob: the bucket's origin: %w", err)
	}
	return at.URI.Scheme + "://" + at.URI.Host, nil
}
