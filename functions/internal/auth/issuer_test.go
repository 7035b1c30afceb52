package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"windlass/functions/internal/auth"
)

const issuerURL = "https://id.example/realm"

// signers are made once: an RSA key takes its time.
var signers = sync.OnceValue(func() map[string]signer {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	strange, err := rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	return map[string]signer{
		"rsa": {rsaKey, jose.RS256, "rsa"}, "pss": {rsaKey, jose.PS256, "rsa"}, "ec": {ecKey, jose.ES256, "ec"}, "ed": {edKey, jose.EdDSA, "ed"},
		"strange": {strange, jose.RS256, "rsa"}, // under the name of another
	}
})

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// signer signs as a key of an issuer.
type signer struct {
	crypto.Signer
	alg jose.SignatureAlgorithm
	kid string
}

func (s signer) sign(claims map[string]any) string {
	opts := &jose.SignerOptions{}
	if s.kid != "" {
		opts = opts.WithHeader("kid", s.kid)
	}
	with, err := jose.NewSigner(jose.SigningKey{Algorithm: s.alg, Key: s.Signer}, opts)
	must(err)
	b, err := json.Marshal(claims)
	must(err)
	signed, err := with.Sign(b)
	must(err)
	token, err := signed.CompactSerialize()
	must(err)
	return token
}

func (s signer) public() jose.JSONWebKey { return jose.JSONWebKey{Key: s.Public(), KeyID: s.kid} }

// provider is an issuer in the test's own bubble of time: a transport that answers.
type provider struct {
	mu   sync.Mutex
	keys []any
	down error
	// takes is how long an answer takes.
	takes time.Duration
	// says, if set, is the whole answer to a path; status is its status.
	says   map[string]string
	status int
	moved  bool
	asked  map[string]int
}

func newProvider(names ...string) *provider {
	p := &provider{asked: map[string]int{}, says: map[string]string{}, status: http.StatusOK}
	p.rotate(names...)
	return p
}

func (p *provider) rotate(names ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = nil
	for _, n := range names {
		p.keys = append(p.keys, signers()[n].public())
	}
}

func (p *provider) set(down error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

func (p *provider) fetches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked["/realm/.well-known/openid-configuration"]
}

func (p *provider) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.takes > 0 {
		select {
		case <-time.After(p.takes):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[r.URL.Path]++
	if p.down != nil {
		return nil, p.down
	}
	w := httptest.NewRecorder()
	said, fixed := p.says[r.URL.Path]
	switch {
	case p.moved:
		http.Redirect(w, r, "https://elsewhere.example/keys", http.StatusFound)
	case fixed:
		w.WriteHeader(p.status)
		_, _ = w.WriteString(said)
	case r.URL.Path == "/realm/.well-known/openid-configuration":
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuerURL, "jwks_uri": "https://id.example/keys"})
	case r.URL.Path == "/keys":
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": p.keys})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

// door lets in keys of the table, and tokens of p.
func door(t *testing.T, p *provider, f *table) *auth.Keys {
	t.Helper()
	tokens, err := auth.NewTokens(auth.TokenSettings{Issuer: issuerURL, Audience: "windlass", Transport: p, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return &auth.Keys{Client: f, Table: "live", Now: time.Now, Tokens: tokens}
}

// claims are those of a good token that ends in an hour, with changes; nil leaves one out.
func claims(changes ...any) map[string]any {
	all := map[string]any{"iss": issuerURL, "aud": "windlass", "sub": "alice", "tenant": "acme", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	for n := 0; n < len(changes); n += 2 {
		name := changes[n].(string)
		if all[name] = changes[n+1]; all[name] == nil {
			delete(all, name)
		}
	}
	return all
}

var errDown = errors.New("dial tcp: no route to host")

func long(n int) string { return strings.Repeat("x", n) }
