package s3_test

import (
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/localstack/s3"
	"windlass/localstack/sigv4"
)

var credentials = aws.Credentials{AccessKeyID: "AKIDLOCAL", SecretAccessKey: "secret"}

// stand is a service behind a socket, with a bucket named "files".
type stand struct {
	testing.TB
	service *s3.Service
	url     string
	client  *sdk.Client
}

var page = s3.CORSRule{AllowedOrigins: []string{"http://127.0.0.1:8787", "https://*.example.com"}, AllowedMethods: []string{"GET", "PUT"},
	AllowedHeaders: []string{"content-type", "x-amz-*", "if-none-match"}, ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: 600}

func open(t testing.TB, dir string, opts s3.Options) *stand {
	t.Helper()
	service, err := s3.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := service.EnsureBucket(s3.BucketSpec{Name: "files", CORS: []s3.CORSRule{page}}); err != nil {
		t.Fatal(err)
	}
	secret := func(key string) (string, bool) { return credentials.SecretAccessKey, key == credentials.AccessKeyID }
	server := httptest.NewServer(service.CORS(sigv4.Verify(secret, time.Now, service.Handler())))
	t.Cleanup(func() {
		server.Close()
		_ = service.Close()
	})
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return credentials, nil })
	client := sdk.New(sdk.Options{Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: provider, Retryer: aws.NopRetryer{}, UsePathStyle: true})
	return &stand{TB: t, service: service, url: server.URL, client: client}
}

// request is signed in its header, over an unsigned payload.
func (s *stand) request(method, path, body string, header http.Header) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for name, values := range header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	const unsigned = "UNSIGNED-PAYLOAD"
	r.Header.Set("X-Amz-Content-Sha256", unsigned)
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	if err := signer.SignHTTP(s.Context(), credentials, r, unsigned, "s3", "us-east-1", time.Now()); err != nil {
		s.Fatal(err)
	}
	return r
}

type fault struct {
	XMLName                            xml.Name `xml:"Error"`
	Code, Message, Resource, RequestId string
}

// do returns the status, the body and, if there is one, the error in it.
func (s *stand) do(r *http.Request) (*http.Response, string, fault) {
	s.Helper()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	var f fault
	if response.StatusCode >= 400 && len(body) > 0 {
		if err := xml.Unmarshal(body, &f); err != nil {
			s.Errorf("%d is no error in XML: %q", response.StatusCode, body)
		}
	}
	return response, string(body), f
}

func (s *stand) put(key, body string) {
	s.Helper()
	if _, err := s.client.PutObject(s.Context(), &sdk.PutObjectInput{Bucket: aws.String("files"), Key: &key, Body: strings.NewReader(body)}); err != nil {
		s.Fatal(err)
	}
}

// get returns "absent" for a key without object.
func (s *stand) get(key string) string {
	s.Helper()
	response, body, f := s.do(s.request("GET", "/files/"+key, "", nil))
	if response.StatusCode == 404 && f.Code == "NoSuchKey" {
		return "absent"
	}
	return body
}

func TestReopenFindsObjectsAndBuckets(t *testing.T) {
	for _, sync := range []bool{false, true} {
		dir := t.TempDir()
		s := open(t, dir, s3.Options{Sync: sync})
		s.put("kept", "hello")
		s.put("gone", "hello")
		s.do(s.request("DELETE", "/files/gone", "", nil))
		if err := s.service.Close(); err != nil {
			t.Fatal(err)
		}
		again := open(t, dir, s3.Options{Sync: sync})
		if got := again.get("kept"); got != "hello" {
			t.Errorf("sync %t: kept object reads %q", sync, got)
		}
		if got := again.get("gone"); got != "absent" {
			t.Errorf("sync %t: deleted object reads %q", sync, got)
		}
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, s3.Options{})
	if other, err := s3.Open(dir, s3.Options{}); err == nil {
		_ = other.Close()
		t.Error("a folder in use was opened twice")
	}
}

func TestEnsureBucketKeepsObjectsAndSetsRules(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	s.put("k", "hello")
	if err := s.service.EnsureBucket(s3.BucketSpec{Name: "files"}); err != nil {
		t.Fatal(err)
	}
	if got := s.get("k"); got != "hello" {
		t.Errorf("object reads %q", got)
	}
	if _, _, f := s.preflight("http://127.0.0.1:8787", "GET", ""); f.Code != "AccessForbidden" {
		t.Errorf("the old rules are still there: %v", f)
	}
	for _, bad := range []s3.BucketSpec{{Name: "No"}, {Name: "files", CORS: []s3.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"PATCH"}}}},
		{Name: "files", CORS: []s3.CORSRule{{AllowedOrigins: []string{"a*b*"}, AllowedMethods: []string{"GET"}}}}, {Name: "files", CORS: []s3.CORSRule{{}}}} {
		if err := s.service.EnsureBucket(bad); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
}

// TestReadersSeeWholeObjects reads a key while it is replaced: every answer is
// one of the bodies, with its own ETag and length.
func TestReadersSeeWholeObjects(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	bodies := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 300_000), ""}
	s.put("k", bodies[0])
	done := make(chan error, 1)
	go func() {
		for i := range 150 {
			_, err := s.client.PutObject(t.Context(), &sdk.PutObjectInput{Bucket: aws.String("files"), Key: aws.String("k"), Body: strings.NewReader(bodies[i%3])})
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		response, body, _ := s.do(s.request("GET", "/files/k", "", nil))
		if response.StatusCode != 200 || body != bodies[0] && body != bodies[1] && body != bodies[2] {
			t.Fatalf("%d with %d bytes", response.StatusCode, len(body))
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// TestBucketRemovedUnderAPut: the commit looks again.
func TestBucketRemovedUnderAPut(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, s3.Options{})
	read, write := io.Pipe()
	r := s.request("PUT", "/files/k", "", nil)
	r.Body, r.ContentLength = read, 5
	answer := make(chan fault, 1)
	go func() {
		_, _, f := s.do(r)
		answer <- f
	}()
	_, _ = io.WriteString(write, "he") // the put has begun, or has not: it must not matter
	if response, _, f := s.do(s.request("DELETE", "/files", "", nil)); response.StatusCode != 204 {
		t.Fatalf("%d %+v", response.StatusCode, f)
	}
	if err := s.service.EnsureBucket(s3.BucketSpec{Name: "files"}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(write, "llo")
	f, stored := <-answer, s.get("k")
	if f.Code == "NoSuchBucket" && stored != "absent" || f.Code == "" && stored != "hello" {
		t.Errorf("answer %+v, object reads %q", f, stored)
	}
}

func TestInjectedFaults(t *testing.T) {
	next := make(chan *s3.Fault, 1)
	s := open(t, t.TempDir(), s3.Options{Fault: func(op, bucket, key string) *s3.Fault {
		if op != "PutObject" || bucket != "files" {
			return nil
		}
		select {
		case f := <-next:
			return f
		default:
			return nil
		}
	}})
	next <- &s3.Fault{Error: s3.SlowDown}
	if response, _, f := s.do(s.request("PUT", "/files/slow", "hello", nil)); response.StatusCode != 503 || f.Code != "SlowDown" {
		t.Errorf("%d %v", response.StatusCode, f)
	}
	if got := s.get("slow"); got != "absent" {
		t.Errorf("a throttled put stored %q", got)
	}
	next <- &s3.Fault{AnswerLost: true}
	if response, err := http.DefaultTransport.RoundTrip(s.request("PUT", "/files/lost", "hello", nil)); err == nil {
		t.Errorf("an answer arrived: %d", response.StatusCode)
	}
	if got := s.get("lost"); got != "hello" {
		t.Errorf("a put whose answer was lost reads %q", got)
	}
}
