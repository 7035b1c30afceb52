package auth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

const (
	// maxToken bounds a token, in bytes: API Gateway takes no more than this in a request
	// line and all its headers.
	maxToken = 10 << 10
	// maxSubject is OpenID Connect's own bound of a subject: so many ASCII characters.
	maxSubject = 255
	// maxUntil bounds what is kept of a token's expiry. Nothing that is opened with a token
	// lives as long as that.
	maxUntil = 24 * time.Hour
	// defaultClaim is the claim that names the tenant if the settings name none.
	defaultClaim = "tenant"
)

// algorithms are all that a token may be signed by. Each needs a private key: "none" and
// the HMACs, which would take an issuer's public key for a secret, are not among them.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// TokenSettings say whose tokens are let in.
type TokenSettings struct {
	// Issuer is the URL that tokens name as iss, exactly, and below which the issuer's
	// configuration is (/.well-known/openid-configuration). It is https, or http on this
	// machine. Empty: no token is let in.
	Issuer string
	// Audience must be one of those that a token is for (aud).
	Audience string
	// TenantClaim is the claim, a string at the top of the token's, that is the tenant;
	// empty: tenant.
	TenantClaim string
	// Transport reaches the issuer; nil is the usual one.
	Transport http.RoundTripper
	Now       func() time.Time
}

// Tokens checks JSON Web Tokens of one issuer of OpenID Connect. Nothing is asked of the
// issuer before the first token comes. It is safe for concurrent use.
type Tokens struct {
	settings TokenSettings
	issuer   *issuer
}

// NewTokens checks the settings; nil if they name no issuer.
func NewTokens(s TokenSettings) (*Tokens, error) {
	if s.Issuer == "" {
		if s.Audience != "" {
			return nil, errors.New("an audience is set and no issuer; set both, or neither")
		}
		return nil, nil
	}
	if err := checkURL(s.Issuer); err != nil {
		return nil, fmt.Errorf("the issuer %w", err)
	}
	if s.Audience == "" {
		return nil, errors.New("an issuer is set and no audience: without one a token that is meant for another service would be let in here")
	}
	if s.TenantClaim == "" {
		s.TenantClaim = defaultClaim
	}
	return &Tokens{s, newIssuer(s.Issuer, s.Transport, s.Now)}, nil
}

// isToken reports whether a bearer credential is a JSON Web Token, rather than a key: three
// parts in base64url, of which the first says how it is signed.
func isToken(credential string) bool {
	header, _, _ := strings.Cut(credential, ".")
	if strings.Count(credential, ".") != 2 || len(credential) > maxToken || strings.ContainsFunc(credential, isForeign) {
		return false
	}
	b, err := base64.RawURLEncoding.DecodeString(header)
	var signed struct {
		Algorithm *string `json:"alg"`
	}
	return err == nil && json.Unmarshal(b, &signed) == nil && signed.Algorithm != nil
}

// isForeign: the library would leave spaces out.
func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}

// caller checks a token. Errors are unauthorized, the same for every way it can be wrong,
// and unavailable if the issuer's keys are not known and cannot be had now.
func (t *Tokens) caller(ctx context.Context, raw string) (Caller, error) {
	signature := &signature{issuer: t.issuer}
	// The library checks algorithm, signature, iss, aud and exp, and nbf with five minutes
	// of grace for clocks that differ.
	verifier := oidc.NewVerifier(t.settings.Issuer, signature, &oidc.Config{ClientID: t.settings.Audience, SupportedSigningAlgs: names(algorithms), Now: t.settings.Now})
	token, err := verifier.Verify(ctx, raw)
	if signature.unavailable != nil {
		return Caller{}, fmt.Errorf("auth: %w: %w", fault.New(fault.Unavailable, "the token could not be checked, because its issuer gave no answer; send the same request again"), signature.unavailable)
	}
	now := t.settings.Now()
	if err != nil || !now.Before(token.Expiry) || token.Issuer != t.settings.Issuer || !isSubject(token.Subject) {
		return Caller{}, refused()
	}
	tenant := t.tenant(token)
	if !eventstore.ValidID(tenant) {
		return Caller{}, refused()
	}
	until := token.Expiry
	if latest := now.Add(maxUntil); until.After(latest) {
		until = latest
	}
	return Caller{Tenant: tenant, Key: t.prefix() + token.Subject, Until: until.UTC()}, nil
}

// tenant is empty if the claim is missing or no string.
func (t *Tokens) tenant(token *oidc.IDToken) (name string) {
	var claims map[string]json.RawMessage
	if token.Claims(&claims) != nil || json.Unmarshal(claims[t.settings.TenantClaim], &name) != nil {
		return ""
	}
	return name
}

// between stands in a subject's id behind its issuer, in which it cannot be. No key's id
// has it.
const between = "#"

func (t *Tokens) prefix() string { return t.settings.Issuer + between }

// holds reports whether somebody who came in by a token would be let in by another one. The
// token itself is gone; its end stands where it let somebody in.
func (t *Tokens) holds(id string) bool { return t != nil && strings.HasPrefix(id, t.prefix()) }

func isSubject(s string) bool {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	return s != "" && len(s) <= maxSubject && strings.IndexFunc(s, odd) < 0
}

func names(all []jose.SignatureAlgorithm) (texts []string) {
	for _, a := range all {
		texts = append(texts, string(a))
	}
	return texts
}
