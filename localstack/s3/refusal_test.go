package s3_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/localstack/s3"
)

func TestWhatIsNotModelledIsRefusedByName(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	s.put("k", "old")
	h := func(name, value string) http.Header { return http.Header{name: {value}} }
	for _, c := range []struct {
		method, path string
		header       http.Header
		status       int
		code, named  string
	}{
		{"PUT", "/files/k?acl", nil, 501, "NotImplemented", "acl"},
		{"GET", "/files/k?tagging", nil, 501, "NotImplemented", "tagging"},
		{"GET", "/files/k?versionId=1", nil, 501, "NotImplemented", "versionId"},
		{"PUT", "/files/k?partNumber=1&uploadId=x", nil, 501, "NotImplemented", "partNumber"},
		{"POST", "/files/k?uploads", nil, 501, "NotImplemented", "uploads"},
		{"POST", "/files/k?select&select-type=2", nil, 501, "NotImplemented", "select"},
		{"GET", "/files?versions", nil, 501, "NotImplemented", "versions"},
		{"GET", "/files?location", nil, 501, "NotImplemented", "location"},
		{"GET", "/files", nil, 501, "NotImplemented", "list-type"},
		{"PUT", "/files?versioning", nil, 501, "NotImplemented", "versioning"},
		{"PUT", "/files?cors", nil, 501, "NotImplemented", "cors"},
		{"DELETE", "/files?policy", nil, 501, "NotImplemented", "policy"},
		{"POST", "/files", nil, 501, "NotImplemented", "?delete"},
		{"GET", "/?max-buckets=1", nil, 501, "NotImplemented", "max-buckets"},
		{"GET", "/files?list-type=2&fetch-owner=true", nil, 501, "NotImplemented", "fetch-owner"},
		{"GET", "/files/k?made-up=1", nil, 501, "NotImplemented", "made-up"},
		{"GET", "/files?list-type=2&prefix=a&prefix=b", nil, 400, "InvalidArgument", "once"},
		{"PUT", "/files/k", h("x-amz-acl", "public-read"), 501, "NotImplemented", "x-amz-acl"},
		{"PUT", "/files/k", h("x-amz-tagging", "a=b"), 501, "NotImplemented", "x-amz-tagging"},
		{"PUT", "/files/k", h("x-amz-storage-class", "GLACIER"), 501, "NotImplemented", "GLACIER"},
		{"PUT", "/files/k", h("x-amz-server-side-encryption", "aws:kms"), 501, "NotImplemented", "aws:kms"},
		{"PUT", "/files/k", h("x-amz-checksum-xxhash64", "AAAA"), 501, "NotImplemented", "x-amz-checksum-xxhash64"},
		{"PUT", "/files/k", h("x-amz-trailer", "x-amz-checksum-crc32"), 501, "NotImplemented", "x-amz-trailer"},
		{"PUT", "/files/k", h("x-amz-decoded-content-length", "5"), 501, "NotImplemented", "x-amz-decoded-content-length"},
		{"PUT", "/files/k", h("Content-Encoding", "gzip, AWS-Chunked"), 501, "NotImplemented", "aws-chunked"},
		{"PUT", "/files/k", h("If-None-Match", `"abc"`), 501, "NotImplemented", "If-None-Match"},
		{"PUT", "/files/k", h("If-Match", "*"), 501, "NotImplemented", "If-Match"},
		{"PUT", "/files/k", h("If-Unmodified-Since", "Mon, 30 Nov 2026 00:00:00 GMT"), 501, "NotImplemented", "If-Unmodified-Since"},
		{"DELETE", "/files/k", h("If-Match", `"abc"`), 501, "NotImplemented", "If-Match"},
		{"GET", "/files/k", h("Range", "bytes=0-0,2-2"), 501, "NotImplemented", "range"},
		{"GET", "/files/k", h("Range", "lines=1-2"), 400, "InvalidArgument", "range"},
		{"GET", "/files/k", h("If-Modified-Since", "yesterday"), 400, "InvalidArgument", "date"},
		{"GET", "/files/k", h("x-amz-security-token", "x"), 400, "InvalidToken", "token"},
		{"PUT", "/files/k", h("x-amz-sdk-checksum-algorithm", "SHA256"), 400, "InvalidRequest", "no corresponding"},
		{"PUT", "/files/k", h("x-amz-meta-a", "café"), 400, "InvalidArgument", "US-ASCII"},
		{"PUT", "/files/new", h("x-amz-copy-source", "files/k?versionId=1"), 501, "NotImplemented", "versionId"},
		{"PUT", "/files/new", http.Header{"x-amz-copy-source": {"files/k"}, "x-amz-copy-source-if-match": {"x"}}, 501, "NotImplemented", "x-amz-copy-source-if-match"},
		{"PUT", "/files/new", http.Header{"x-amz-copy-source": {"files/k"}, "Content-Type": {"a/b"}}, 501, "NotImplemented", "REPLACE"},
		{"PATCH", "/files/k", nil, 405, "MethodNotAllowed", "method"},
		{"GET", "/files/%ff", nil, 400, "InvalidURI", "URI"},
		{"GET", "//k", nil, 400, "InvalidURI", "URI"},
	} {
		response, _, f := s.do(s.request(c.method, c.path, "", c.header))
		if response.StatusCode != c.status || f.Code != c.code || !strings.Contains(f.Message, c.named) {
			t.Errorf("%s %s %v: %d %+v, want %d %s naming %q", c.method, c.path, c.header, response.StatusCode, f, c.status, c.code, c.named)
		}
		if f.RequestId == "" || f.RequestId != response.Header.Get("X-Amz-Request-Id") {
			t.Errorf("%s %s: request id %q", c.method, c.path, f.RequestId)
		}
	}
	if got := s.get("k"); got != "old" {
		t.Errorf("a refused request changed the object to %q", got)
	}
	if got := s.get("new"); got != "absent" {
		t.Errorf("a refused copy stored %q", got)
	}
}

func TestDeleteObjectsRefusesWhatItDoesNotKnow(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	s.put("k", "old")
	const digest = "1B2M2Y8AsgTpgAmY7PhCfg=="
	for body, code := range map[string]string{
		"<Delete><Object><Key>k</Key><VersionId>1</VersionId></Object></Delete>": "NotImplemented",
		"<Delete><Object><Key>k</Key><ETag>x</ETag></Object></Delete>":           "NotImplemented",
		"<Delete><Object><Key>k</Key></Object>":                                  "MalformedXML",
		"<Delete><Object/></Delete>":                                             "MalformedXML",
		"<Delete><Quiet>maybe</Quiet><Object><Key>k</Key></Object></Delete>":     "MalformedXML",
		"not xml": "MalformedXML",
	} {
		_, _, f := s.do(s.request("POST", "/files?delete", body, http.Header{"X-Amz-Checksum-Crc32": {crc(body)}}))
		if f.Code != code {
			t.Errorf("%s: %+v, want %s", body, f, code)
		}
	}
	good := "<Delete><Object><Key>k</Key></Object></Delete>"
	if _, _, f := s.do(s.request("POST", "/files?delete", good, nil)); f.Code != "InvalidRequest" {
		t.Errorf("without digest: %+v", f)
	}
	if _, _, f := s.do(s.request("POST", "/files?delete", good, http.Header{"Content-Md5": {digest}})); f.Code != "BadDigest" {
		t.Errorf("with another digest: %+v", f)
	}
	if got := s.get("k"); got != "old" {
		t.Errorf("a refused request deleted the object: %q", got)
	}
}

func TestHeadRefusesWithoutBody(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	for path, status := range map[string]int{"/files/nobody": 404, "/nowhere": 404, "/files/k?versionId=1": 501} {
		response, body, _ := s.do(s.request("HEAD", path, "", nil))
		if response.StatusCode != status || body != "" || response.ContentLength > 0 {
			t.Errorf("%s: %d %q, length %d", path, response.StatusCode, body, response.ContentLength)
		}
	}
}

// raw sends a PUT by hand, with a presigned URL, and returns the answer.
func (s *stand) raw(key, headers, body string) *http.Response {
	s.Helper()
	out, err := sdk.NewPresignClient(s.client).PresignPutObject(s.Context(), &sdk.PutObjectInput{Bucket: aws.String("files"), Key: &key})
	if err != nil {
		s.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n%s", strings.TrimPrefix(out.URL, s.url), strings.TrimPrefix(s.url, "http://"), headers, body)
	if strings.HasPrefix(headers, "Content-Length") {
		_ = conn.(*net.TCPConn).CloseWrite()
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.Fatal(err)
	}
	return response
}

func TestLengthIsDemandedAndHeld(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	for name, c := range map[string]struct {
		headers, body string
		status        int
	}{
		"none":        {"", "", 411},
		"zero":        {"Content-Length: 0\r\n", "", 200},
		"cut short":   {"Content-Length: 10\r\n", "hello", 400},
		"over 5 GiB":  {"Content-Length: 5368709121\r\n", "hello", 400},
		"in chunks":   {"Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n", 501},
		"aws-chunked": {"Content-Encoding: aws-chunked\r\nContent-Length: 5\r\n", "hello", 501},
	} {
		response := s.raw(strings.ReplaceAll(name, " ", "-"), c.headers, c.body)
		if response.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", name, response.StatusCode, c.status)
		}
		if got := s.get(strings.ReplaceAll(name, " ", "-")); (got == "absent") != (c.status != 200) {
			t.Errorf("%s: object reads %q", name, got)
		}
	}
}

func TestStreamingSignaturesAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	const hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	r, err := http.NewRequest("PUT", s.url+"/files/k", strings.NewReader("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Amz-Content-Sha256": {hash}, "Content-Encoding": {"aws-chunked"}, "X-Amz-Trailer": {"x-amz-checksum-crc32"}, "X-Amz-Decoded-Content-Length": {"5"}}
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	if err := signer.SignHTTP(t.Context(), credentials, r, hash, "s3", "us-east-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	if response, _, f := s.do(r); response.StatusCode != 501 || f.Code != "NotImplemented" {
		t.Errorf("%d %+v", response.StatusCode, f)
	}
	if got := s.get("k"); got != "absent" {
		t.Errorf("stored %q", got)
	}
}
