package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	// maxAnswer bounds what an issuer answers, in bytes, and maxKeys the keys in it.
	maxAnswer = 256 << 10
	maxKeys   = 100
	// maxURL bounds an issuer's URL, in bytes: it stands in the log beside who did something.
	maxURL = 255
)

// checkURL allows https, and http on this machine. An error does not repeat the URL.
func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil || len(s) > maxURL || strings.ContainsAny(s, "?#") {
		return fmt.Errorf("is no URL of at most %d bytes such as https://id.example.com, without user, query and fragment", maxURL)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return errors.New("does not begin with https; http is for this machine alone")
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// client sends each request where it was meant to go, and reads no more than maxAnswer.
func client(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Transport: bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the issuer redirects, which is not followed")
		},
	}
}

type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswer)
	}
	return answer, err
}

// A fetcher asks an issuer for its keys.
type fetcher struct {
	issuer string
	client *http.Client
}

// keys finds out where they are, each time anew, and reads those that tokens may be signed
// with. None is an error. An error is short, whatever the issuer said.
func (f *fetcher) keys(ctx context.Context) ([]jose.JSONWebKey, error) {
	keys, err := f.discovered(ctx)
	if err != nil {
		return nil, fmt.Errorf("the issuer's keys: %.300s", err.Error())
	}
	return keys, nil
}

func (f *fetcher) discovered(ctx context.Context) ([]jose.JSONWebKey, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, f.client), f.issuer)
	if err != nil {
		return nil, err
	}
	var at struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&at); err != nil {
		return nil, err
	}
	u, err := url.Parse(at.Keys)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, errors.New("its jwks_uri does not begin with https")
	}
	b, err := f.get(ctx, at.Keys)
	if err != nil {
		return nil, err
	}
	return readKeys(b)
}

func (f *fetcher) get(ctx context.Context, from string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("its keys are answered with %s", answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// readKeys leaves out what it does not know: an issuer may have keys for other purposes,
// and of kinds that are younger than this.
func readKeys(b []byte) (keys []jose.JSONWebKey, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(b, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("it has %d keys, at most %d are taken", len(set.Keys), maxKeys)
	}
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if json.Unmarshal(raw, &k) == nil && verifies(k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("it has no key that a token may be signed with")
	}
	return keys, nil
}

// verifies reports whether a key is a public one for signatures.
func verifies(k jose.JSONWebKey) bool {
	switch k.Key.(type) {
	case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:
		return k.Valid() && slices.Contains([]string{"", "sig"}, k.Use)
	}
	return false
}
