package contract

import (
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// answer of a request without the SDK.
type answer struct {
	status int
	code   string // of the XML, if it is an error
	body   string
	header http.Header
}

// send sends what a browser would: a method, a URL, a few headers.
func (s *subject) send(method, url, body string, header http.Header) answer {
	s.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(s.ctx, method, url, reader)
	s.ok(err)
	for name, values := range header {
		if name != "Host" && name != "Content-Length" {
			r.Header[name] = values
		}
	}
	return s.exchange(r)
}

func (s *subject) exchange(r *http.Request) answer {
	s.Helper()
	response, err := http.DefaultClient.Do(r)
	s.ok(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	s.ok(err)
	a := answer{status: response.StatusCode, body: string(text), header: response.Header}
	if a.status >= 400 {
		var fault struct{ Code string }
		_ = xml.Unmarshal(text, &fault)
		a.code = fault.Code
	}
	return a
}

func (s *subject) answered(what string, a answer, status int, code string) {
	s.Helper()
	if a.status != status || a.code != code {
		s.Errorf("%s: %d %s, want %d %s: %.300s", what, a.status, a.code, status, code, a.body)
	}
}

// upload presigns a PUT of hello with length, checksum and If-None-Match signed.
func (s *subject) upload(key string) *v4.PresignedHTTPRequest {
	s.Helper()
	out, err := s3.NewPresignClient(s.client).PresignPutObject(s.ctx, &s3.PutObjectInput{Bucket: &s.name, Key: &key, ContentLength: aws.Int64(5),
		ChecksumSHA256: aws.String(sums["SHA256"]), IfNoneMatch: aws.String("*"), ContentType: aws.String("text/plain")}, s3.WithPresignExpires(time.Minute))
	s.ok(err)
	return out
}

func presignedPut(s *subject) {
	s.bucket()
	up := s.upload("dir/up load+é.txt")
	a := s.send("PUT", up.URL, "hello", up.SignedHeader)
	s.answered("put", a, 200, "")
	s.equal("ETag", a.header.Get("ETag"), helloTag)
	s.holds("dir/up load+é.txt", "hello")
	s.answered("again", s.send("PUT", up.URL, "hello", up.SignedHeader), 412, "PreconditionFailed")
}

func presignedPutRefusals(s *subject) {
	s.bucket()
	without := func(h http.Header, name string) http.Header {
		h = h.Clone()
		h.Del(name)
		return h
	}
	for i, c := range []struct {
		name, method, body string
		drop               string
		add                [2]string
		status             int
		code               string
	}{
		{"longer body", "PUT", "hello!", "", [2]string{}, 403, "SignatureDoesNotMatch"},
		{"shorter body", "PUT", "hell", "", [2]string{}, 403, "SignatureDoesNotMatch"},
		{"another body", "PUT", "HELLO", "", [2]string{}, 400, "BadDigest"},
		{"no If-None-Match", "PUT", "hello", "If-None-Match", [2]string{}, 403, "SignatureDoesNotMatch"},
		{"no checksum", "PUT", "hello", "X-Amz-Checksum-Sha256", [2]string{}, 403, "SignatureDoesNotMatch"},
		{"another type", "PUT", "hello", "", [2]string{"Content-Type", "text/html"}, 403, "SignatureDoesNotMatch"},
		{"unsigned metadata", "PUT", "hello", "", [2]string{"X-Amz-Meta-A", "b"}, 403, "AccessDenied"},
		{"another method", "GET", "", "", [2]string{}, 403, "SignatureDoesNotMatch"},
	} {
		key := "k" + string(rune('0'+i))
		up := s.upload(key)
		header := without(up.SignedHeader, c.drop)
		if c.add[0] != "" {
			header.Set(c.add[0], c.add[1])
		}
		s.answered(c.name, s.send(c.method, up.URL, c.body, header), c.status, c.code)
		s.lacks(key)
	}
	up := s.upload("key")
	s.answered("another key", s.send("PUT", strings.Replace(up.URL, "/key?", "/kez?", 1), "hello", up.SignedHeader), 403, "SignatureDoesNotMatch")
	s.lacks("kez")
}

func presignedGet(s *subject) {
	bucket, key := s.bucket(), aws.String("a b")
	s.put("a b", "hello")
	out, err := s3.NewPresignClient(s.client).PresignGetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: key,
		ResponseContentType: aws.String("text/html"), ResponseContentDisposition: aws.String(`attachment; filename="x.html"`), ResponseCacheControl: aws.String("no-store")})
	s.ok(err)
	a := s.send("GET", out.URL, "", nil)
	s.answered("get", a, 200, "")
	s.equal("body", a.body, "hello")
	s.equal("type", a.header.Get("Content-Type"), "text/html")
	s.equal("disposition", a.header.Get("Content-Disposition"), `attachment; filename="x.html"`)
	s.equal("cache", a.header.Get("Cache-Control"), "no-store")
	a = s.send("GET", out.URL, "", http.Header{"Range": {"bytes=1-2"}})
	s.answered("part", a, 206, "")
	s.equal("part", a.body, "el")
	a = s.send("GET", out.URL, "", http.Header{"If-None-Match": {helloTag}})
	s.answered("unchanged", a, 304, "")
	s.answered("added override", s.send("GET", out.URL+"&response-content-language=de", "", nil), 403, "SignatureDoesNotMatch")
	s.answered("other override", s.send("GET", strings.Replace(out.URL, "text%2Fhtml", "text%2Fplain", 1), "", nil), 403, "SignatureDoesNotMatch")
}

// earlier signs as if it were another time.
type earlier struct{ by time.Duration }

func (e earlier) PresignHTTP(ctx context.Context, c aws.Credentials, r *http.Request, hash, service, region string, at time.Time, opts ...func(*v4.SignerOptions)) (string, http.Header, error) {
	return v4.NewSigner().PresignHTTP(ctx, c, r, hash, service, region, at.Add(-e.by), append(opts, func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })...)
}

func presignedExpiry(s *subject) {
	bucket := s.bucket()
	s.put("k", "hello")
	get := func(age, life time.Duration) answer {
		out, err := s3.NewPresignClient(s.client).PresignGetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("k")},
			s3.WithPresignExpires(life), func(o *s3.PresignOptions) { o.Presigner = earlier{age} })
		s.ok(err)
		return s.send("GET", out.URL, "", nil)
	}
	s.answered("in its life", get(time.Hour, 2*time.Hour), 200, "")
	a := get(time.Hour, 30*time.Minute)
	s.answered("past its life", a, 403, "AccessDenied")
	if !strings.Contains(a.body, "Request has expired") {
		s.Errorf("refused with %s", a.body)
	}
	s.answered("longest life", get(0, 7*24*time.Hour), 200, "")
	s.equal("longer life", get(0, 7*24*time.Hour+time.Second).status, 400)
}

func unsigned(s *subject) {
	s.bucket()
	s.put("k", "hello")
	url := strings.TrimSuffix(aws.ToString(s.client.Options().BaseEndpoint), "/") + "/" + s.name
	s.answered("get", s.send("GET", url+"/k", "", nil), 403, "AccessDenied")
	s.answered("put", s.send("PUT", url+"/new", "hello", nil), 403, "AccessDenied")
	s.answered("list", s.send("GET", url+"?list-type=2", "", nil), 403, "AccessDenied")
	s.answered("delete", s.send("DELETE", url+"/k", "", nil), 403, "AccessDenied")
	s.lacks("new")
	s.holds("k", "hello")
}

// transferEncoding sends a body without telling its length.
func transferEncoding(s *subject) {
	bucket := s.bucket()
	out, err := s3.NewPresignClient(s.client).PresignPutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("k")})
	s.ok(err)
	r, err := http.NewRequestWithContext(s.ctx, "PUT", out.URL, struct{ io.Reader }{strings.NewReader("hello")})
	s.ok(err)
	s.answered("put", s.exchange(r), 501, "NotImplemented")
	s.lacks("k")
}
