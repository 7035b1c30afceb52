package main

import (
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const blob = "dev/demo/blobs/a b+c"

// files is an S3 client of the AWS door, as another program would have it.
func (r *running) files() *s3.Client {
	r.t.Helper()
	creds, err := loadCredentials(r.env["WINDLASS_DATA"])
	if err != nil {
		r.t.Fatal(err)
	}
	cfg := awsConfig(nil, creds, r.at.AWS)
	cfg.HTTPClient = nil
	return s3.NewFromConfig(cfg, pathStyle)
}

func pathStyle(o *s3.Options) { o.UsePathStyle = true }

func (r *running) bucket() *string { return aws.String(r.at.Buckets["BlobBucket"]) }

func (r *running) putBlob(body string) {
	r.t.Helper()
	_, err := r.files().PutObject(r.t.Context(), &s3.PutObjectInput{Bucket: r.bucket(), Key: aws.String(blob), Body: strings.NewReader(body)})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) blobReads(want string) {
	r.t.Helper()
	out, err := r.files().GetObject(r.t.Context(), &s3.GetObjectInput{Bucket: r.bucket(), Key: aws.String(blob)})
	if err != nil {
		r.t.Fatal(err)
	}
	defer out.Body.Close()
	if got, err := io.ReadAll(out.Body); err != nil || string(got) != want {
		r.t.Errorf("reads %q, %v; want %q", got, err, want)
	}
}

// exchange sends what a page would, and returns the code of a refusal.
func (r *running) exchange(method, url, body string, header http.Header) (*http.Response, string, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for name, values := range header {
		if name != "Host" && name != "Content-Length" { // the client's own
			req.Header[name] = values
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	var refusal struct{ Code string }
	if res.StatusCode >= 400 {
		_ = xml.Unmarshal(text, &refusal) // the guard's refusal has no code
	}
	return res, string(text), refusal.Code
}

// The copy of a data directory that is in use is what a kill would leave.
func TestAnObjectThatWasAnsweredOutlivesAKill(t *testing.T) {
	data, left := t.TempDir(), t.TempDir()
	r := launch(t, newFake().product(), data, nil)
	if *r.bucket() != "windlass-blob" {
		t.Errorf("the bucket is %s", *r.bucket())
	}
	r.putBlob("hello")
	if err := os.CopyFS(left, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	launch(t, newFake().product(), left, nil).blobReads("hello")
	r.stop()
	launch(t, newFake().product(), data, nil).blobReads("hello")
}

// A function reaches the same bucket without a socket.
func TestAFunctionKeepsObjects(t *testing.T) {
	r := launch(t, newFake().product(), t.TempDir(), nil)
	if status, body := r.post("/keep", "from a function"); status != 202 {
		t.Fatalf("%d %s\n%s", status, body, r.errs)
	}
	r.blobReads("from a function")
}

// before signs as if it were earlier.
type before struct{ by time.Duration }

func (b before) PresignHTTP(ctx context.Context, c aws.Credentials, r *http.Request, hash, service, region string, at time.Time, opts ...func(*v4.SignerOptions)) (string, http.Header, error) {
	return v4.NewSigner().PresignHTTP(ctx, c, r, hash, service, region, at.Add(-b.by), opts...)
}

func TestAPresignedURLIsTheAuthorisation(t *testing.T) {
	r := launch(t, newFake().product(), t.TempDir(), nil)
	presign := s3.NewPresignClient(r.files())
	upload := &s3.PutObjectInput{Bucket: r.bucket(), Key: aws.String(blob), ContentLength: aws.Int64(5), ContentType: aws.String("text/plain"),
		IfNoneMatch: aws.String("*"), ChecksumSHA256: aws.String("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")}
	put, err := presign.PresignPutObject(t.Context(), upload)
	if err != nil {
		t.Fatal(err)
	}
	page := put.SignedHeader.Clone()
	page.Set("Origin", "https://app.example")
	download := &s3.GetObjectInput{Bucket: r.bucket(), Key: aws.String(blob)}
	get, err := presign.PresignGetObject(t.Context(), download)
	if err != nil {
		t.Fatal(err)
	}
	late, err := presign.PresignGetObject(t.Context(), download, s3.WithPresignExpires(time.Minute), func(o *s3.PresignOptions) { o.Presigner = before{time.Hour} })
	if err != nil {
		t.Fatal(err)
	}
	bare, _, _ := strings.Cut(get.URL, "?")
	for _, c := range []struct {
		name, method, url, body string
		header                  http.Header
		status                  int
		says                    string
	}{
		{"upload of something else", "PUT", put.URL, "HELLO", put.SignedHeader, 400, "BadDigest"},
		{"upload", "PUT", put.URL, "hello", page, 200, ""},
		{"upload again", "PUT", put.URL, "hello", put.SignedHeader, 412, "PreconditionFailed"},
		{"download", "GET", get.URL, "", nil, 200, "hello"},
		{"download by a page", "GET", get.URL, "", http.Header{"Origin": {"https://app.example"}}, 200, "hello"},
		{"expired", "GET", late.URL, "", nil, 403, "Request has expired"},
		{"unsigned", "GET", bare, "", nil, 403, "AccessDenied"},
		{"unsigned upload", "PUT", bare, "HELLO", nil, 403, "AccessDenied"},
		{"unsigned by a page", "GET", bare, "", http.Header{"Origin": {"https://app.example"}}, 403, "AccessDenied"},
		{"another name of this machine", "GET", strings.Replace(get.URL, "127.0.0.1", "localhost", 1), "", nil, 403, "SignatureDoesNotMatch"},
	} {
		res, text, _ := r.exchange(c.method, c.url, c.body, c.header)
		if res.StatusCode != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, text)
		}
		want := ""
		if c.header.Get("Origin") != "" {
			want = "*"
		}
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: allows origin %q, want %q", c.name, got, want)
		}
	}
	r.blobReads("hello")
}

func TestPagesOfOtherOriginsReachTheBucketAlone(t *testing.T) {
	r := launch(t, newFake().product(), t.TempDir(), nil)
	asks := func(method, headers string) http.Header {
		return http.Header{"Origin": {"https://app.example"}, "Access-Control-Request-Method": {method}, "Access-Control-Request-Headers": {headers}}
	}
	object := r.at.AWS + "/" + *r.bucket() + "/k"
	for _, c := range []struct {
		name, url, method, headers string
		status                     int
		code                       string
	}{
		{"upload", object, "PUT", "content-type,if-none-match,x-amz-checksum-sha256", 200, ""},
		{"another header", object, "PUT", "authorization", 403, "AccessForbidden"},
		{"another method", object, "DELETE", "", 403, ""},
		{"another bucket", r.at.AWS + "/other/k", "PUT", "", 403, ""},
		{"the other services", r.at.AWS + "/", "POST", "x-amz-target", 403, ""},
		{"the API", r.at.API + "/" + *r.bucket() + "/k", "PUT", "", 403, ""},
	} {
		res, text, code := r.exchange(http.MethodOptions, c.url, "", asks(c.method, c.headers))
		if res.StatusCode != c.status || code != c.code {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, text)
		}
		if got := res.Header.Get("Access-Control-Allow-Origin"); (got == "*") != (c.status == 200) {
			t.Errorf("%s: allows origin %q", c.name, got)
		}
	}
	// The right host is asked for all the same.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, object, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header, req.Host = asks("PUT", ""), "evil.example"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden || res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("under another name: %d", res.StatusCode)
	}
}
