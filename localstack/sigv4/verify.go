package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// MaxSkew is how far a request's date may be from ours, either way.
const MaxSkew = 15 * time.Minute

// MaxBody is the largest body that is read to be hashed (S3 bodies are hashed
// while the next handler reads them, and have no limit here).
const MaxBody = 16 << 20

const dateFormat = "20060102T150405Z"

// Verify passes to next only requests signed by a key that credentials knows.
// Anything else is answered with AWS's own error code, in XML for S3 and in JSON
// otherwise.
//
// The body's hash is checked too. Before next is called for most services; for
// S3 while next reads: reading a body that is not the signed one ends in an
// error that wraps [ErrPayload], and next must then store nothing.
func Verify(credentials func(accessKey string) (secret string, ok bool), now func() time.Time, next http.Handler) http.Handler {
	return &verifier{credentials: credentials, now: now, next: next}
}

type verifier struct {
	credentials func(string) (string, bool)
	now         func() time.Time
	next        http.Handler
	keys        keyCache
}

func (v *verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in, fail := parse(r)
	if fail == nil {
		fail = v.check(r, in)
	}
	if fail != nil {
		fail.write(w, r, in.scope.service)
		return
	}
	v.next.ServeHTTP(w, r)
}

// check leaves the body to the end: a request without a known key, a date and
// the right headers must not cost us the reading of its body.
func (v *verifier) check(r *http.Request, in signed) *failure {
	secret, ok := v.credentials(in.scope.accessKey)
	if !ok {
		return unknownKey
	}
	if fail := v.checkTime(in); fail != nil {
		return fail
	}
	if fail := checkHeaders(r, in); fail != nil {
		return fail
	}
	hash, fail := payloadHash(r, in)
	if fail != nil {
		return fail
	}
	var buf [1024]byte
	canonical := appendCanonical(buf[:0], r, in, hash)
	want := v.signature(secret, in, canonical)
	got, err := hex.DecodeString(in.signature)
	if err != nil || !hmac.Equal(got, want) {
		return wrongSignature
	}
	return nil
}

func (v *verifier) checkTime(in signed) *failure {
	now := v.now()
	if in.date.Format("20060102") != in.scope.date {
		return invalid("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP")
	}
	if in.date.After(now.Add(MaxSkew)) {
		return skewed
	}
	if in.presigned {
		if now.After(in.date.Add(in.expires)) {
			return expired
		}
		return nil
	}
	if in.date.Before(now.Add(-MaxSkew)) {
		return skewed
	}
	return nil
}

// checkHeaders demands that whatever changes the meaning of a request is signed.
func checkHeaders(r *http.Request, in signed) *failure {
	if !slices.Contains(in.headers, "host") {
		return invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.")
	}
	for name := range r.Header {
		if len(name) < 6 || !strings.EqualFold(name[:6], "x-amz-") {
			continue
		}
		if !slices.Contains(in.headers, strings.ToLower(name)) {
			return invalid("There were headers present in the request which were not signed: " + strings.ToLower(name))
		}
	}
	return nil
}

func (v *verifier) signature(secret string, in signed, canonical []byte) []byte {
	sum := sha256.Sum256(canonical)
	var buf [256]byte
	text := append(buf[:0], algorithm+"\n"...)
	text = append(text, in.dateText...)
	text = append(text, '\n')
	text = append(text, in.scope.text...)
	text = append(text, '\n')
	text = hex.AppendEncode(text, sum[:])
	return mac(v.keys.get(secret, in.scope), text)
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
