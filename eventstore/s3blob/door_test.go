package s3blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/eventstore"
	"windlass/eventstore/s3blob"
	"windlass/localstack/s3"
	"windlass/localstack/sigv4"
)

// embedded is the subset behind a socket, as most people run it.
func embedded(t *testing.T) aws.Config {
	t.Helper()
	service, err := s3.Open(t.TempDir(), s3.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := service.EnsureBucket(s3.BucketSpec{Name: bucket}); err != nil {
		t.Fatal(err)
	}
	keys := aws.Credentials{AccessKeyID: "AKIDLOCAL", SecretAccessKey: "secret"}
	server := httptest.NewServer(sigv4.Verify(func(id string) (string, bool) { return keys.SecretAccessKey, id == keys.AccessKeyID }, time.Now, service.Handler()))
	t.Cleanup(func() {
		server.Close()
		_ = service.Close()
	})
	return aws.Config{Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return keys, nil })}
}

func blob(data string) eventstore.BlobKey {
	sum := sha256.Sum256([]byte(data))
	return eventstore.BlobKey{Stream: eventstore.Stream{Tenant: "acme", Session: "s:1"}, SHA256: hex.EncodeToString(sum[:])}
}

func send(t *testing.T, method, url string, headers map[string]string, body string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range headers {
		r.Header.Set(name, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

func TestAStoreURLTakesTheBlobAndNothingElse(t *testing.T) {
	door := s3blob.NewDoor(sdk.NewFromConfig(embedded(t), s3blob.DoorOptions), bucket)
	ctx, key := t.Context(), blob("hello")
	if _, _, err := door.Stat(ctx, key); eventstore.CodeOf(err) != eventstore.NotFound {
		t.Errorf("before it is stored: %v", err)
	}
	url, headers, err := door.StoreURL(ctx, key, 5, "text/plain", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for name := range headers {
		if name != "content-type" && name != "if-none-match" && name != "x-amz-checksum-sha256" {
			t.Errorf("a browser is not allowed to send %q by the bucket's CORS rule", name)
		}
	}
	for _, body := range []string{"hello!", "hell", "HELLO", ""} {
		if status, _, answer := send(t, "PUT", url, headers, body); status < 400 {
			t.Errorf("%q: %d %s", body, status, answer)
		}
	}
	for name := range headers {
		fewer := map[string]string{}
		for n, v := range headers {
			if n != name {
				fewer[n] = v
			}
		}
		if status, _, _ := send(t, "PUT", url, fewer, "hello"); status != http.StatusForbidden {
			t.Errorf("without %s: %d", name, status)
		}
	}
	for _, want := range []int{200, 412} {
		if status, _, answer := send(t, "PUT", url, headers, "hello"); status != want {
			t.Errorf("%d %s, want %d", status, answer, want)
		}
	}
	if n, kind, err := door.Stat(ctx, key); n != 5 || kind != "text/plain" || err != nil {
		t.Errorf("%d %s, %v", n, kind, err)
	}
}

func TestAFetchURLGivesTheBlobAsItWasAskedFor(t *testing.T) {
	cfg := embedded(t)
	door, key := s3blob.NewDoor(sdk.NewFromConfig(cfg, s3blob.DoorOptions), bucket), blob("hello")
	if err := s3blob.New(sdk.NewFromConfig(cfg, s3blob.Options), bucket).PutBlob(t.Context(), key, "text/plain", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET", "HEAD"} {
		url, err := door.FetchURL(t.Context(), key, method, "text/csv; charset=utf-8", "attachment; filename*=utf-8''%C3%A9.csv", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		status, h, body := send(t, method, url, nil, "")
		if status != 200 || h.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.HasSuffix(h.Get("Content-Disposition"), "%C3%A9.csv") || h.Get("Content-Length") != "5" || method == "GET" && body != "hello" {
			t.Errorf("%s: %d %v %s", method, status, h, body)
		}
		if status, _, _ := send(t, method, strings.Replace(url, "csv", "html", 1), nil, ""); status != http.StatusForbidden {
			t.Errorf("%s of another type: %d", method, status)
		}
	}
}

// The functions may list the bucket, so a 403 is a broken role, and must not look
// like a blob that is not there.
func TestRefusedCredentialsAreNotAMissingBlob(t *testing.T) {
	cfg := aws.Config{Region: "us-east-1", BaseEndpoint: aws.String("http://s3.example"), Credentials: aws.AnonymousCredentials{}, HTTPClient: answering(http.StatusForbidden)}
	door := s3blob.NewDoor(sdk.NewFromConfig(cfg, s3blob.Options), bucket)
	if _, _, err := door.Stat(t.Context(), blob("x")); eventstore.CodeOf(err) != eventstore.Denied {
		t.Errorf("%v", err)
	}
	cfg.HTTPClient = answering(http.StatusServiceUnavailable)
	door = s3blob.NewDoor(sdk.NewFromConfig(cfg, s3blob.Options), bucket)
	if _, _, err := door.Stat(t.Context(), blob("x")); eventstore.CodeOf(err) != eventstore.Unavailable {
		t.Errorf("%v", err)
	}
}

// answering is a client that gets one status to everything.
type answering int

func (s answering) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(s), Header: http.Header{}, Body: io.NopCloser(&bytes.Reader{}), Request: r}, nil
}
