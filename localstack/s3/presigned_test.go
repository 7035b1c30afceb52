package s3_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"windlass/localstack/s3"
)

// presign signs a PUT with parameters in its query, as SDKs in a browser do with
// x-amz-* headers.
func (s *stand) presign(path string, query url.Values) string {
	s.Helper()
	r, err := http.NewRequest("PUT", s.url+path+"?"+query.Encode(), nil)
	if err != nil {
		s.Fatal(err)
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	signed, _, err := signer.PresignHTTP(s.Context(), credentials, r, "UNSIGNED-PAYLOAD", "s3", "us-east-1", time.Now())
	if err != nil {
		s.Fatal(err)
	}
	return signed
}

func TestHeadersInTheQueryOfAPresignedURLCount(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	const sum = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=" // of hello
	with := func(name, value string) url.Values { return url.Values{"X-Amz-Expires": {"60"}, name: {value}} }
	for _, c := range []struct {
		name, body string
		query      url.Values
		header     http.Header
		code       string
	}{
		{"true-checksum", "hello", with("x-amz-checksum-sha256", sum), nil, ""},
		{"wrong-checksum", "HELLO", with("x-amz-checksum-sha256", sum), nil, "BadDigest"},
		{"another-case", "HELLO", with("X-Amz-Checksum-Sha256", sum), nil, "BadDigest"},
		{"acl", "hello", with("x-amz-acl", "public-read"), nil, "NotImplemented"},
		{"owner", "hello", with("x-amz-expected-bucket-owner", "1"), nil, "AccessDenied"},
		{"added-header", "hello", with("x-id", "PutObject"), http.Header{"X-Amz-Meta-A": {"b"}}, "AccessDenied"},
	} {
		r, err := http.NewRequest("PUT", s.presign("/files/"+c.name, c.query), strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.header != nil {
			r.Header = c.header
		}
		if _, _, f := s.do(r); f.Code != c.code {
			t.Errorf("%s: %+v, want %q", c.name, f, c.code)
		}
		if got := s.get(c.name); (got == "hello") != (c.code == "") {
			t.Errorf("%s: object reads %q", c.name, got)
		}
	}
}
