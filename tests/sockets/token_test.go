package sockets

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-jose/go-jose/v4"

	"windlass/tests/client"
)

// issuer is one of OpenID Connect, on this machine.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1"}}})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// token is one of alice's, of a tenant.
func (i *issuer) token(t *testing.T, tenant string, ends time.Time) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: i.key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		t.Fatal(err)
	}
	claims, err := json.Marshal(map[string]any{"iss": i.URL, "aud": "windlass", "sub": "alice", "org": tenant, "exp": ends.Unix()})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func refusedWith(t *testing.T, what string, err error, status int, code string) {
	t.Helper()
	if p, ok := err.(*client.Problem); !ok || p.HTTP != status || p.Code != code {
		t.Errorf("%s: %v; want %d %s", what, err, status, code)
	}
}

func TestATokenIsAsGoodAsAKeyUntilItEnds(t *testing.T) {
	i := newIssuer(t)
	ctx, d := start(t, "WINDLASS_OIDC_ISSUER="+i.URL, "WINDLASS_OIDC_AUDIENCE=windlass", "WINDLASS_OIDC_TENANT_CLAIM=org")
	hour := time.Now().Add(time.Hour)
	by := func(token string) client.Client { return client.Client{URL: d.Client().URL, Key: token} }
	acme, beta := by(i.token(t, "acme", hour)), by(i.token(t, "beta", hour))

	if _, err := acme.Submit(ctx, "s", client.Submission{Prompt: "write a poem to /poem.md and read it back", OperationID: "op", Agent: "careful"}); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Waiting(ctx, "s", "op"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]client.Client{"another tenant": beta, "the key's tenant": d.Client()} {
		_, err := c.Operation(ctx, "s", "op", 0)
		refusedWith(t, name, err, http.StatusNotFound, "not_found")
	}
	for name, token := range map[string]string{"that is over": i.token(t, "acme", time.Now().Add(-time.Minute)), "of an odd tenant": i.token(t, "acme#s", hour), "that is cut": acme.Key[:len(acme.Key)-4]} {
		_, err := by(token).Operation(ctx, "s", "op", 0)
		refusedWith(t, "a token "+name, err, http.StatusUnauthorized, "unauthorized")
	}
	if _, err := acme.Decide(ctx, "s", "op", "1.0", map[string]any{"decision": "approve"}); err != nil {
		t.Fatal(err)
	}
	if o, err := acme.Wait(ctx, "s", "op"); err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	log, err := acme.RawEvents(ctx, "s", "")
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := json.Marshal(log)
	if !strings.Contains(string(whole), `"by":"`+i.URL+`#alice"`) || strings.Contains(string(whole), acme.Key) {
		t.Errorf("who answered does not stand in the log: %s", whole)
	}

	short := by(i.token(t, "acme", time.Now().Add(3*time.Second)))
	s := dial(ctx, t, short)
	if err := s.Subscribe(ctx, "s", "", 0); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Until(ctx, "caught_up"); err != nil || f.Seq == 0 {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	if f := pinged(ctx, t, s, "closing"); f.Code != "lifetime" {
		t.Errorf("%s", f.Raw)
	}
	if status := closed(ctx, s); status != websocket.StatusNormalClosure {
		t.Errorf("closed with %d", status)
	}
	_, err = short.Ticket(ctx, "")
	refusedWith(t, "a ticket after the end", err, http.StatusUnauthorized, "unauthorized")
}

func TestKeysAreLetInWhileTheIssuerIsDown(t *testing.T) {
	i := newIssuer(t)
	token := i.token(t, "acme", time.Now().Add(time.Hour))
	ctx, d := start(t, "WINDLASS_OIDC_ISSUER="+i.URL, "WINDLASS_OIDC_AUDIENCE=windlass", "WINDLASS_OIDC_TENANT_CLAIM=org")
	i.Close()
	c := client.Client{URL: d.Client().URL, Key: token}
	for range 2 {
		_, err := c.Sessions(ctx, 10)
		refusedWith(t, "a token", err, http.StatusServiceUnavailable, "unavailable")
		if _, err := d.Client().Sessions(ctx, 10); err != nil {
			t.Errorf("a key: %v", err)
		}
	}
}
