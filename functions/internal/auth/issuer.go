package auth

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	// fresh is how long keys count without a look at whether the issuer still has them: so
	// long may a key be good that the issuer took back.
	fresh = time.Hour
	// kept is how long they count if the issuer cannot be asked.
	kept = 24 * time.Hour
	// pause is the least time between two requests for keys, whatever tokens come: one with
	// a key that nobody knows costs its sender nothing.
	pause = 30 * time.Second
	// firstPause is the least time after a request that failed; it doubles, up to pause.
	firstPause = time.Second
	// within is how long the issuer has to say where its keys are, and what they are. It is
	// less than a request to us may take.
	within = 2 * time.Second
)

// errPaused: keys cannot be asked for again yet, and were asked for well.
var errPaused = errors.New("the issuer was asked for its keys just now")

// An issuer holds the public keys of an issuer of tokens. They are asked for when they are
// needed, once at a time, and with pauses; each function's instance has its own.
type issuer struct {
	fetch func(context.Context) ([]jose.JSONWebKey, error)
	now   func() time.Time

	mu   sync.Mutex
	keys []jose.JSONWebKey
	// asked is when keys came; next is when they may be asked for again.
	asked, next time.Time
	// failed is why they did not come the last time, and wait the pause after that.
	failed error
	wait   time.Duration
	// asking is closed when the request is over that is under way; nil if none is.
	asking chan struct{}
}

func newIssuer(url string, transport http.RoundTripper, now func() time.Time) *issuer {
	f := &fetcher{issuer: url, client: client(transport)}
	return &issuer{fetch: f.keys, now: now}
}

// known are the keys that a token may be signed with, and whether they may have changed.
func (i *issuer) known(kid, algorithm string) (keys []jose.JSONWebKey, stale bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	age := i.now().Sub(i.asked)
	if age >= kept {
		return nil, true
	}
	for _, k := range i.keys {
		if (kid == "" || k.KeyID == kid) && (k.Algorithm == "" || k.Algorithm == algorithm) {
			keys = append(keys, k)
		}
	}
	return keys, age >= fresh
}

// renew asks for the keys again, or waits for the request that is under way. It returns
// errPaused, or why they are not to be had.
func (i *issuer) renew(ctx context.Context) error {
	i.mu.Lock()
	if i.asking == nil {
		if i.now().Before(i.next) {
			defer i.mu.Unlock()
			if i.failed != nil {
				return i.failed
			}
			return errPaused
		}
		i.asking = make(chan struct{})
		go i.ask(context.WithoutCancel(ctx), i.asking) // for all who wait, however long this one does
	}
	asking := i.asking
	i.mu.Unlock()
	select {
	case <-asking:
	case <-ctx.Done():
		return ctx.Err()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.failed
}

func (i *issuer) ask(ctx context.Context, done chan struct{}) {
	defer close(done)
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	keys, err := i.fetch(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	i.failed, i.asking = err, nil
	if err != nil {
		i.wait = min(max(firstPause, 2*i.wait), pause)
		i.next = now.Add(i.wait)
		return
	}
	i.keys, i.asked, i.next, i.wait = keys, now, now.Add(pause), 0
}

// signature checks the signature of one token, for the library, which hides the cause of
// an error.
type signature struct {
	issuer *issuer
	// unavailable is why it could not be checked.
	unavailable error
}

var errSignature = errors.New("no key of the issuer has signed this")

// VerifySignature returns what was signed. The library has checked the algorithm.
func (s *signature) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	token, err := jose.ParseSignedCompact(raw, algorithms)
	if err != nil {
		return nil, err
	}
	header := token.Signatures[0].Header
	keys, stale := s.issuer.known(header.KeyID, header.Algorithm)
	if !stale {
		payload, err := signedWith(ctx, keys, raw)
		if err == nil || header.KeyID != "" && len(keys) > 0 {
			return payload, err
		}
	}
	// Keys that have got old, and tokens that name no key or one that is new.
	failed := s.issuer.renew(ctx)
	keys, _ = s.issuer.known(header.KeyID, header.Algorithm)
	payload, err := signedWith(ctx, keys, raw)
	if err != nil && len(keys) == 0 && failed != nil && !errors.Is(failed, errPaused) {
		s.unavailable = failed
	}
	return payload, err
}

func signedWith(ctx context.Context, keys []jose.JSONWebKey, raw string) ([]byte, error) {
	set := &oidc.StaticKeySet{}
	for _, k := range keys {
		set.PublicKeys = append(set.PublicKeys, k.Key)
	}
	if len(keys) == 0 {
		return nil, errSignature
	}
	return set.VerifySignature(ctx, raw)
}
