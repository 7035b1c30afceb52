package s3_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"windlass/localstack/s3"
)

var sizes = []struct {
	name  string
	bytes int
}{{"2KB", 2 << 10}, {"64KB", 64 << 10}, {"1MB", 1 << 20}, {"8MB", 8 << 20}}

// BenchmarkPut is the whole way: the SDK signs and hashes, a socket, the
// signature and all digests verified, a file and a commit.
func BenchmarkPut(b *testing.B) {
	for _, c := range []struct {
		name      string
		algorithm types.ChecksumAlgorithm
		sync      bool
	}{{"", "", false}, {"/sha256", types.ChecksumAlgorithmSha256, false}, {"/sync", "", true}} {
		for _, size := range sizes {
			b.Run(size.name+c.name, func(b *testing.B) {
				s := open(b, b.TempDir(), s3.Options{Sync: c.sync})
				body := bytes.Repeat([]byte("0123456789abcdef"), size.bytes/16)
				b.SetBytes(int64(size.bytes))
				n := 0
				for b.Loop() {
					n++
					_, err := s.client.PutObject(context.Background(), &sdk.PutObjectInput{Bucket: aws.String("files"), Key: aws.String(fmt.Sprint("k", n%50)), Body: bytes.NewReader(body), ChecksumAlgorithm: c.algorithm})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkGet(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			s := open(b, b.TempDir(), s3.Options{})
			s.put("k", strings.Repeat("x", size.bytes))
			b.SetBytes(int64(size.bytes))
			for b.Loop() {
				out, err := s.client.GetObject(context.Background(), &sdk.GetObjectInput{Bucket: aws.String("files"), Key: aws.String("k")})
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, out.Body)
				out.Body.Close()
			}
		})
	}
}

// BenchmarkList lists a page of 1,000 below a prefix of 10,000, and its folders
// alone.
func BenchmarkList(b *testing.B) {
	s := open(b, b.TempDir(), s3.Options{})
	for i := range 10_000 {
		s.put(fmt.Sprintf("dir/%03d/%d", i%100, i), "")
	}
	for name, delimiter := range map[string]*string{"page": nil, "folders": aws.String("/")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.client.ListObjectsV2(context.Background(), &sdk.ListObjectsV2Input{Bucket: aws.String("files"), Prefix: aws.String("dir/"), Delimiter: delimiter}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
