package sigv4

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

var (
	instant = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	alice   = aws.Credentials{AccessKeyID: "AKIDALICE", SecretAccessKey: "wonder/land+secret"}
)

func secrets(key string) (string, bool) {
	if key == alice.AccessKeyID {
		return alice.SecretAccessKey, true
	}
	return "", false
}

func hashOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

// request builds a signed request; edit changes it after signing.
type request struct {
	method, url, body, service string
	creds                      aws.Credentials
	at                         time.Time
	header                     http.Header
	payload                    string // instead of the body's hash
}

func (q request) sign(t testing.TB) *http.Request {
	t.Helper()
	r := q.unsigned(t)
	hash := hashOf(q.body)
	if q.payload != "" {
		hash = q.payload
	}
	if q.service == "s3" {
		r.Header.Set(hashHeader, hash)
	}
	if err := v4.NewSigner(q.option).SignHTTP(context.Background(), q.creds, r, hash, q.service, "eu-west-1", q.at); err != nil {
		t.Fatal(err)
	}
	return r
}

func (q request) option(o *v4.SignerOptions) { o.DisableURIPathEscaping = q.service == "s3" }

func (q request) unsigned(t testing.TB) *http.Request {
	t.Helper()
	r, err := http.NewRequest(q.method, q.url, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range q.header {
		r.Header[name] = values
	}
	return r
}

func (q request) presign(t testing.TB, expires string) *http.Request {
	t.Helper()
	r := q.unsigned(t)
	query := r.URL.Query()
	query.Set("X-Amz-Expires", expires)
	r.URL.RawQuery = query.Encode()
	payload := q.payload
	if payload == "" {
		payload = unsignedPayload
	}
	uri, _, err := v4.NewSigner(q.option).PresignHTTP(context.Background(), q.creds, r, payload, q.service, "eu-west-1", q.at)
	if err != nil {
		t.Fatal(err)
	}
	q.url = uri
	return q.unsigned(t)
}

func dynamo() request {
	return request{method: "POST", url: "http://127.0.0.1:8788/", body: `{"TableName":"log"}`, service: "dynamodb", creds: alice, at: instant,
		header: http.Header{"X-Amz-Target": {"DynamoDB_20120810.GetItem"}, "Content-Type": {"application/x-amz-json-1.0"}}}
}

func s3(method, url, body string) request {
	return request{method: method, url: url, body: body, service: "s3", creds: alice, at: instant}
}

// send sends r over a socket to a server whose clock stands at the instant, and
// returns the answer and what the next handler read.
func send(t *testing.T, r *http.Request) (status int, answer string, read string) {
	t.Helper()
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if errors.Is(err, ErrPayload) {
			http.Error(w, "handler saw another body", http.StatusTeapot)
			return
		}
		read = string(body)
	})
	server := httptest.NewServer(Verify(secrets, func() time.Time { return instant }, next))
	defer server.Close()
	host := r.Host
	r.URL.Host = strings.TrimPrefix(server.URL, "http://")
	if host == "" {
		host = "127.0.0.1:8788"
	}
	r.Host = host
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body), read
}

func TestSignedRequestsPass(t *testing.T) {
	apigw := request{method: "POST", url: "http://127.0.0.1:8788/@connections/ab%3D%2Fc", body: "hello", service: "execute-api", creds: alice, at: instant}
	spaced := dynamo()
	spaced.header.Set("X-Amz-Meta-Note", "  several   spaces inside ")
	for name, r := range map[string]*http.Request{
		"json":              dynamo().sign(t),
		"folded spaces":     spaced.sign(t),
		"double escaping":   apigw.sign(t),
		"s3 with a body":    s3("PUT", "http://127.0.0.1:8788/bucket/a%20b/%C3%A9%2B.txt", "content").sign(t),
		"s3 without a body": s3("GET", "http://127.0.0.1:8788/bucket/?list-type=2&prefix=a%2Fb&delimiter=%2F&empty=", "").sign(t),
		"presigned get":     s3("GET", "http://127.0.0.1:8788/bucket/a%20b?versionId=1", "").presign(t, "60"),
		"presigned put":     s3("PUT", "http://127.0.0.1:8788/bucket/key", "anything").presign(t, "60"),
		"socket url":        request{method: "GET", url: "http://127.0.0.1:8788/$connect?ticket=x", service: "execute-api", creds: alice, at: instant, payload: hashOf("")}.presign(t, "60"),
	} {
		t.Run(name, func(t *testing.T) {
			if status, answer, _ := send(t, r); status != 200 {
				t.Errorf("status %d: %s", status, answer)
			}
		})
	}
}

func TestBodyReachesTheNextHandlerWhole(t *testing.T) {
	if _, _, read := send(t, dynamo().sign(t)); read != dynamo().body {
		t.Errorf("handler read %q", read)
	}
	if _, _, read := send(t, s3("PUT", "http://127.0.0.1:8788/b/k", "content").sign(t)); read != "content" {
		t.Errorf("handler read %q", read)
	}
}

func TestRefusals(t *testing.T) {
	stranger := dynamo()
	stranger.creds.AccessKeyID = "AKIDMALLORY"
	thief := dynamo()
	thief.creds.SecretAccessKey = "guess"
	early, late := dynamo(), dynamo()
	early.at, late.at = instant.Add(-MaxSkew-time.Second), instant.Add(MaxSkew+time.Second)
	unsignedPut := dynamo()
	unsignedPut.payload = unsignedPayload
	unsignedPut.header.Set(hashHeader, unsignedPayload)
	stale := s3("GET", "http://127.0.0.1:8788/b/k", "")
	stale.at = instant.Add(-61 * time.Second)
	streaming := s3("PUT", "http://127.0.0.1:8788/b/k", "content")
	streaming.payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
	edited := func(r *http.Request, edit func(*http.Request)) *http.Request { edit(r); return r }
	swap := func(body string) func(*http.Request) {
		return func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
	}
	for _, c := range []struct {
		name   string
		r      *http.Request
		status int
		code   string
	}{
		{"no signature", dynamo().unsigned(t), 400, "MissingAuthenticationTokenException"},
		{"no signature, s3", s3("GET", "http://127.0.0.1:8788/b/k", "").unsigned(t), 403, "AccessDenied"},
		{"unknown key", stranger.sign(t), 400, "UnrecognizedClientException"},
		{"wrong secret", thief.sign(t), 400, "InvalidSignatureException"},
		{"too early", early.sign(t), 400, "InvalidSignatureException"},
		{"too late", late.sign(t), 400, "InvalidSignatureException"},
		{"another body", edited(dynamo().sign(t), swap(`{"TableName":"luv"}`)), 400, "InvalidSignatureException"},
		{"another s3 body", edited(s3("PUT", "http://127.0.0.1:8788/b/k", "content").sign(t), swap("CONTENT")), 418, "another body"},
		{"a body where none was signed", edited(s3("DELETE", "http://127.0.0.1:8788/b/k", "").sign(t), func(r *http.Request) { r.Header.Set(hashHeader, hashOf("x")) }), 400, "XAmzContentSHA256Mismatch"},
		{"another target", edited(dynamo().sign(t), func(r *http.Request) { r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem") }), 400, "InvalidSignatureException"},
		{"another path", edited(dynamo().sign(t), func(r *http.Request) { r.URL.Path = "/other" }), 400, "InvalidSignatureException"},
		{"another host", edited(dynamo().sign(t), func(r *http.Request) { r.Host = "elsewhere" }), 400, "InvalidSignatureException"},
		{"another method", edited(s3("GET", "http://127.0.0.1:8788/b/k", "").sign(t), func(r *http.Request) { r.Method = "DELETE" }), 403, "SignatureDoesNotMatch"},
		{"an unsigned x-amz header", edited(dynamo().sign(t), func(r *http.Request) { r.Header.Set("X-Amz-Extra", "1") }), 400, "not signed"},
		{"unsigned payload outside s3", unsignedPut.sign(t), 400, "InvalidSignatureException"},
		{"chunked signature", streaming.sign(t), 501, "NotImplemented"},
		{"presigned, expired", stale.presign(t, "60"), 403, "Request has expired"},
		{"presigned, longer life", edited(s3("GET", "http://127.0.0.1:8788/b/k", "").presign(t, "60"), func(r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "Expires=60", "Expires=600", 1)
		}), 403, "SignatureDoesNotMatch"},
		{"presigned for more than a week", s3("GET", "http://127.0.0.1:8788/b/k", "").presign(t, "604801"), 400, "AuthorizationHeaderMalformed"},
		{"presigned, another parameter", edited(s3("GET", "http://127.0.0.1:8788/b/k", "").presign(t, "60"), func(r *http.Request) { r.URL.RawQuery += "&extra=1" }), 403, "SignatureDoesNotMatch"},
		{"presigned twice over", edited(s3("GET", "http://127.0.0.1:8788/b/k", "").presign(t, "60"), func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256 x") }), 403, "Only one auth"},
		{"signature cut short", edited(dynamo().sign(t), func(r *http.Request) {
			a := r.Header.Get("Authorization")
			r.Header.Set("Authorization", a[:len(a)-2])
		}), 400, "InvalidSignatureException"},
		{"another algorithm", edited(dynamo().sign(t), func(r *http.Request) { r.Header.Set("Authorization", "Basic abc") }), 400, "IncompleteSignatureException"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer, read := send(t, c.r)
			if status != c.status || !strings.Contains(answer, c.code) {
				t.Errorf("got %d %s, want %d %s", status, answer, c.status, c.code)
			}
			if read != "" {
				t.Errorf("the next handler was reached and read %q", read)
			}
		})
	}
}

func TestServiceNamesTheSignedService(t *testing.T) {
	if got := Service(dynamo().sign(t)); got != "dynamodb" {
		t.Errorf("service %q", got)
	}
	if got := Service(dynamo().unsigned(t)); got != "" {
		t.Errorf("service %q of an unsigned request", got)
	}
}

func FuzzParse(f *testing.F) {
	good := dynamo().sign(f).Header.Get("Authorization")
	f.Add(good, "", "20261130T120000Z")
	f.Add("", "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60", "")
	f.Fuzz(func(t *testing.T, auth, query, date string) {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(nil))
		r.URL.RawQuery = query
		r.Header.Set("Authorization", auth)
		r.Header.Set("X-Amz-Date", date)
		w := httptest.NewRecorder()
		never := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("passed without the secret") })
		Verify(func(string) (string, bool) { return "\x00unguessable", true }, func() time.Time { return instant }, never).ServeHTTP(w, r)
	})
}

func BenchmarkVerify(b *testing.B) {
	q := dynamo()
	q.body = strings.Repeat("x", 2048)
	h := Verify(secrets, func() time.Time { return instant }, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r := q.sign(b)
	r.Host = "127.0.0.1:8788"
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(strings.NewReader(q.body))
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
