package auth_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
)

func code(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.Of(err).Code
}

func TestATokenOfTheIssuerIsWhoItSays(t *testing.T) {
	for _, name := range []string{"rsa", "pss", "ec", "ed"} {
		synctest.Test(t, func(t *testing.T) {
			f := &table{}
			k := door(t, newProvider("rsa", "ec", "ed"), f)
			got, err := k.Caller(t.Context(), "Bearer "+signers()[name].sign(claims("aud", []string{"other", "windlass"})))
			want := auth.Caller{Tenant: "acme", Key: issuerURL + "#alice", Until: time.Now().Add(time.Hour).UTC()}
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%s (-want +got):\n%s%v", name, d, err)
			}
			if got.Name() != issuerURL+"#alice" || len(f.asked) > 0 {
				t.Errorf("%s: by %q; the table was asked %d times", name, got.Name(), len(f.asked))
			}
		})
	}
	if c := (auth.Caller{Key: auth.ID(key)}); c.Name() != "9f9f5111f7b2" {
		t.Errorf("a key shows as %q", c.Name())
	}
}

func TestEveryWrongTokenIsRefusedInTheSameWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa", "ec")
		f := &table{}
		k := door(t, p, f)
		_, err := k.Caller(t.Context(), "Basic x")
		words := err.Error()
		good := signers()["rsa"]
		hour := func(n int) int64 { return time.Now().Add(time.Duration(n) * time.Hour).Unix() }
		tokens := map[string]string{}
		for name, changes := range map[string][]any{
			"expired": {"exp", hour(-1)}, "ending now": {"exp", time.Now().Unix()}, "without end": {"exp", nil}, "not yet valid": {"nbf", hour(1)},
			"for another": {"aud", "other"}, "for nobody": {"aud", nil}, "for one that is spelt otherwise": {"aud", "Windlass"},
			"of another issuer": {"iss", "https://evil.example"}, "of no issuer": {"iss", nil}, "of the issuer with a slash": {"iss", issuerURL + "/"},
			"of no tenant": {"tenant", nil}, "of an empty tenant": {"tenant", ""}, "of a tenant with a separator": {"tenant", "acme#beta"}, "of a tenant with a slash": {"tenant", "acme/beta"},
			"of a tenant that is a number": {"tenant", 7}, "of two tenants": {"tenant", []string{"acme", "beta"}}, "of a null tenant": {"tenant", json.RawMessage("null")},
			"of dots": {"tenant", ".."}, "of a tenant with a space": {"tenant", "acme "}, "of a long tenant": {"tenant", long(129)}, "of a tenant in another case": {"tenant", nil, "Tenant", "acme"},
			"of nobody": {"sub", nil}, "of an empty subject": {"sub", ""}, "of a long subject": {"sub", long(256)}, "of an odd subject": {"sub", "a\nb"}, "of a subject in other letters": {"sub", "ä"},
		} {
			tokens[name] = good.sign(claims(changes...))
		}
		tokens["signed by a stranger"] = signers()["strange"].sign(claims())
		tokens["signed by a key of another kind"] = signer{signers()["ec"].Signer, jose.ES256, "rsa"}.sign(claims())
		whole := good.sign(claims())
		parts := strings.Split(whole, ".")
		b64 := base64.RawURLEncoding.EncodeToString
		for _, alg := range []string{"none", "None", "NONE", ""} {
			header := b64(fmt.Appendf(nil, `{"alg":%q,"kid":"rsa"}`, alg))
			tokens["alg "+alg] = header + "." + parts[1] + "."
			tokens["alg "+alg+", signed"] = header + "." + parts[1] + "." + parts[2]
		}
		public := good.Public().(*rsa.PublicKey)
		der, err := x509.MarshalPKIXPublicKey(public)
		must(err)
		for name, secret := range map[string][]byte{"DER": der, "PEM": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "modulus": public.N.Bytes()} {
			with, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret}, (&jose.SignerOptions{}).WithHeader("kid", "rsa"))
			must(err)
			b, _ := json.Marshal(claims())
			signed, err := with.Sign(b)
			must(err)
			tokens["HS256 with the public key as "+name], err = signed.CompactSerialize()
			must(err)
		}
		changed, _ := json.Marshal(claims("tenant", "beta"))
		tokens["changed"] = parts[0] + "." + b64(changed) + "." + parts[2]
		tokens["cut"] = whole[:len(whole)-1]
		tokens["without a signature"] = parts[0] + "." + parts[1] + "."
		tokens["with spaces"] = whole + " "
		tokens["of four parts"] = whole + ".x"
		tokens["too long"] = good.sign(claims("more", long(10<<10)))
		tokens["that brings its key"] = func() string {
			s := signers()["strange"]
			with, err := jose.NewSigner(jose.SigningKey{Algorithm: s.alg, Key: s.Signer}, &jose.SignerOptions{EmbedJWK: true})
			must(err)
			b, _ := json.Marshal(claims())
			signed, err := with.Sign(b)
			must(err)
			token, err := signed.CompactSerialize()
			must(err)
			return token
		}()
		for name, token := range tokens {
			c, err := k.Caller(t.Context(), "Bearer "+token)
			if c != (auth.Caller{}) || err == nil || err.Error() != words {
				t.Errorf("a token %s: %+v, %v; want %q", name, c, err, words)
			}
		}
		if _, err := k.Caller(t.Context(), "Bearer "+whole); err != nil {
			t.Errorf("the good one: %v", err)
		}
		if n := p.fetches(); n != 1 {
			t.Errorf("the issuer was asked %d times for %d tokens", n, len(tokens))
		}
	})
}

func TestATokenThatIsNotOfAgeHasFiveMinutesOfGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := door(t, newProvider("rsa"), &table{})
		token := signers()["rsa"].sign(claims("nbf", time.Now().Add(6*time.Minute).Unix()))
		for range 2 {
			if _, err := k.Caller(t.Context(), "Bearer "+token); code(err) != fault.Unauthorized {
				t.Errorf("six minutes early: %v", err)
			}
		}
		time.Sleep(time.Minute)
		if _, err := k.Caller(t.Context(), "Bearer "+token); err != nil {
			t.Errorf("five minutes early: %v", err)
		}
		time.Sleep(54*time.Minute - time.Nanosecond)
		if _, err := k.Caller(t.Context(), "Bearer "+token); err != nil {
			t.Errorf("a moment before its end: %v", err)
		}
		time.Sleep(5*time.Minute + time.Nanosecond)
		if _, err := k.Caller(t.Context(), "Bearer "+token); code(err) != fault.Unauthorized {
			t.Errorf("at its end: %v", err)
		}
	})
}

func TestAnEndThatIsFarAwayIsADayAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := door(t, newProvider("rsa"), &table{})
		for _, exp := range []any{time.Now().Add(48 * time.Hour).Unix(), 1e12} {
			c, err := k.Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims("exp", exp)))
			if err != nil || !c.Until.Equal(time.Now().Add(24*time.Hour)) {
				t.Errorf("%v: %s, %v", exp, c.Until, err)
			}
		}
	})
}

func TestWithoutAnIssuerNoTokenIsLetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens, err := auth.NewTokens(auth.TokenSettings{})
		if tokens != nil || err != nil {
			t.Fatalf("%v, %v", tokens, err)
		}
		f := &table{}
		k := &auth.Keys{Client: f, Now: time.Now}
		if _, err := k.Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims())); code(err) != fault.Unauthorized || len(f.asked) > 0 {
			t.Errorf("%v; the table was asked %d times", err, len(f.asked))
		}
		if err := k.Valid(t.Context(), issuerURL+"#alice"); code(err) != fault.Unauthorized {
			t.Errorf("who came in before: %v", err)
		}
	})
}

// The token is gone by then: what is left is whether its issuer is trusted.
func TestASubjectHoldsAsLongAsItsIssuerIsTrusted(t *testing.T) {
	f := &table{}
	k := door(t, newProvider("rsa"), f)
	for id, want := range map[string]fault.Code{
		issuerURL + "#alice": "", issuerURL + "2#alice": fault.Unauthorized, "https://id.example#alice": fault.Unauthorized, "#": fault.Unauthorized,
	} {
		if err := k.Valid(t.Context(), id); code(err) != want || len(f.asked) > 0 {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
}

// A key may look a little like a token.
func TestAKeyWithTwoDotsIsAKey(t *testing.T) {
	p := newProvider("rsa")
	for _, key := range []string{"0123456789.abc.def", "eyJ4IjoxfQ.0123456789.abc", "..0123456789abcdef"} {
		f := &table{item: auth.Item(key, "acme", time.Now())}
		if c, err := door(t, p, f).Caller(t.Context(), "Bearer "+key); err != nil || c.Key != auth.ID(key) {
			t.Errorf("%s: %+v, %v", key, c, err)
		}
	}
	if p.fetches() > 0 {
		t.Error("the issuer was asked for a key")
	}
}

func TestTheTenantsClaimMayHaveAnotherName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa")
		for _, name := range []string{"custom:tenant", "https://example.com/tenant"} {
			tokens, err := auth.NewTokens(auth.TokenSettings{Issuer: issuerURL, Audience: "windlass", TenantClaim: name, Transport: p, Now: time.Now})
			must(err)
			k := &auth.Keys{Client: &table{}, Now: time.Now, Tokens: tokens}
			if c, err := k.Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims(name, "beta"))); c.Tenant != "beta" || err != nil {
				t.Errorf("%s: %+v, %v", name, c, err)
			}
			if _, err := k.Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims())); code(err) != fault.Unauthorized {
				t.Errorf("%s is missing: %v", name, err)
			}
		}
	})
}

func FuzzATokenThatNobodySignedLetsNobodyIn(f *testing.F) {
	p := newProvider("rsa")
	tokens, err := auth.NewTokens(auth.TokenSettings{Issuer: issuerURL, Audience: "windlass", Transport: p, Now: time.Now})
	must(err)
	k := &auth.Keys{Client: &table{}, Now: time.Now, Tokens: tokens}
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add(signers()["strange"].sign(claims()))
	f.Fuzz(func(t *testing.T, token string) {
		if c, err := k.Caller(t.Context(), "Bearer "+token); code(err) != fault.Unauthorized || c != (auth.Caller{}) {
			t.Errorf("%q: %+v, %v", token, c, err)
		}
	})
}
