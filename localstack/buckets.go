package main

import (
	"fmt"
	"path/filepath"

	"windlass/localstack/s3"
	"windlass/localstack/template"
)

// openBuckets opens S3 beside the other services' file, with the template's
// buckets. What a bucket holds stays as it is.
func openBuckets(s settings, buckets []template.Bucket) (*s3.Service, error) {
	files, err := s3.Open(filepath.Join(s.data, "s3"), s3.Options{Region: region, Account: account, Sync: s.sync})
	if err != nil {
		return nil, fmt.Errorf("%w (WINDLASS_DATA names the directory)", err)
	}
	for _, b := range buckets {
		spec := s3.BucketSpec{Name: b.Name}
		for _, rule := range b.CORS {
			spec.CORS = append(spec.CORS, s3.CORSRule(rule))
		}
		if err := files.EnsureBucket(spec); err != nil {
			_ = files.Close()
			return nil, fmt.Errorf("bucket %s: %w", b.LogicalID, err)
		}
	}
	return files, nil
}
