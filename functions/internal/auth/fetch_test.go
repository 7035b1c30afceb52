package auth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
)

func TestKeysHoldWhileTheIssuerIsOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa")
		p.set(errDown)
		k := door(t, p, &table{item: auth.Item(key, "acme", time.Now())})
		token := "Bearer " + signers()["rsa"].sign(claims())
		asked := 0
		for second := range 60 {
			_, err := k.Caller(t.Context(), token)
			if code(err) != fault.Unavailable || !errors.As(err, new(*fault.Error)) || !strings.Contains(err.Error(), errDown.Error()) || strings.Contains(fault.Of(err).Message, "dial") {
				t.Fatalf("after %d s: %v", second, err)
			}
			if c, err := k.Caller(t.Context(), "Bearer "+key); err != nil || c.Tenant != "acme" {
				t.Fatalf("a key, after %d s: %v", second, err)
			}
			time.Sleep(time.Second)
		}
		if asked = p.fetches(); asked != 6 { // after 0, 1, 3, 7, 15 and 31 s
			t.Errorf("it was asked %d times in a minute", asked)
		}
		p.set(nil)
		time.Sleep(30 * time.Second)
		if _, err := k.Caller(t.Context(), token); err != nil {
			t.Errorf("it is back: %v", err)
		}
	})
}

func TestWhatAnIssuerMayNotAnswerIsUnavailable(t *testing.T) {
	const discovery, keys = "/realm/.well-known/openid-configuration", "/keys"
	b, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{signers()["rsa"].public()}})
	must(err)
	good := string(b)
	for name, change := range map[string]func(*provider){
		"another issuer": func(p *provider) {
			p.says[discovery] = `{"issuer":"https://evil.example","jwks_uri":"https://id.example/keys"}`
		},
		"keys over http": func(p *provider) {
			p.says[discovery] = `{"issuer":"` + issuerURL + `","jwks_uri":"http://id.example/keys"}`
		},
		"keys nowhere":   func(p *provider) { p.says[discovery] = `{"issuer":"` + issuerURL + `"}` },
		"no JSON":        func(p *provider) { p.says[keys] = `<html>` },
		"no keys":        func(p *provider) { p.says[keys] = `{"keys":[]}` },
		"a secret":       func(p *provider) { p.says[keys] = `{"keys":[{"kty":"oct","kid":"rsa","k":"AAAA"}]}` },
		"for encryption": func(p *provider) { k := signers()["rsa"].public(); k.Use = "enc"; p.keys = []any{k} },
		"too much":       func(p *provider) { p.says[keys] = strings.Repeat(" ", 256<<10) + good },
		"too much about it": func(p *provider) {
			p.says[discovery] = strings.Repeat(" ", 256<<10) + `{"issuer":"` + issuerURL + `","jwks_uri":"https://id.example/keys"}`
		},
		"too many keys": func(p *provider) {
			for range 101 {
				p.keys = append(p.keys, signers()["rsa"].public())
			}
		},
		"a status":     func(p *provider) { p.says[keys], p.status = `{}`, 500 },
		"another way":  func(p *provider) { p.moved = true },
		"it too late":  func(p *provider) { p.takes = 1100 * time.Millisecond },
		"it never":     func(p *provider) { p.takes = time.Hour },
		"a long story": func(p *provider) { p.says[discovery], p.status = long(10_000), 500 },
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newProvider("rsa")
			change(p)
			start := time.Now()
			_, err := door(t, p, &table{}).Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims()))
			if code(err) != fault.Unavailable || len(err.Error()) > 600 {
				t.Errorf("%s: %.700v", name, err)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%s took %s", name, took)
			}
		})
	}
}

func TestWhatIsNotKnownOfAnIssuerIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa")
		p.keys = append([]any{map[string]any{"kty": "FUTURE", "kid": "rsa"}, map[string]any{"kty": "RSA", "kid": "rsa"}, map[string]any{"kty": "EC", "crv": "P-1", "kid": "rsa"}}, p.keys...)
		if _, err := door(t, p, &table{}).Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims())); err != nil {
			t.Error(err)
		}
	})
}

// Whoever makes up tokens does not make us press the issuer.
func TestUnknownKeysAreAskedForEveryHalfMinuteAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa")
		k := door(t, p, &table{})
		for n := range 60 { // five minutes, ten tokens at a time
			var all sync.WaitGroup
			for m := range 10 {
				s := signers()["strange"]
				s.kid = fmt.Sprint(n, "-", m)
				if m == 0 {
					s.kid = "" // none
				}
				all.Go(func() {
					if _, err := k.Caller(t.Context(), "Bearer "+s.sign(claims())); code(err) != fault.Unauthorized {
						t.Errorf("%d: %v", n, err)
					}
				})
			}
			all.Wait()
			time.Sleep(5 * time.Second)
		}
		if n := p.fetches(); n != 10 {
			t.Errorf("the issuer was asked %d times in five minutes", n)
		}
	})
}

func TestAKeyThatIsNewIsFoundAndOneThatIsGoneForgotten(t *testing.T) {
	for _, kid := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := newProvider("rsa")
			k := door(t, p, &table{})
			before, after := signers()["rsa"], signers()["ec"]
			if !kid {
				before.kid, after.kid = "", ""
			}
			enter := func(s signer) fault.Code {
				_, err := k.Caller(t.Context(), "Bearer "+s.sign(claims()))
				return code(err)
			}
			if c := enter(before); c != "" {
				t.Fatal(c)
			}
			p.rotate("ec")
			if c := enter(after); c != fault.Unauthorized {
				t.Errorf("at once: %q", c)
			}
			if c := enter(before); c != "" {
				t.Errorf("the old one, as long as nobody looked: %q", c)
			}
			time.Sleep(30 * time.Second)
			if c := enter(after); c != "" {
				t.Errorf("after half a minute: %q", c)
			}
			if c := enter(before); c != fault.Unauthorized {
				t.Errorf("the old one: %q", c)
			}
		})
	}
}

func TestAKeyThatTheIssuerTookBackHoldsForAnHourAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa", "ec")
		k := door(t, p, &table{})
		token := "Bearer " + signers()["rsa"].sign(claims("exp", time.Now().Add(100*time.Hour).Unix()))
		enter := func() fault.Code { _, err := k.Caller(t.Context(), token); return code(err) }
		if c := enter(); c != "" {
			t.Fatal(c)
		}
		p.set(errDown)
		time.Sleep(24*time.Hour - time.Second)
		if c := enter(); c != "" {
			t.Errorf("nearly a day without an answer: %q", c)
		}
		time.Sleep(time.Second)
		if c := enter(); c != fault.Unavailable {
			t.Errorf("a day without an answer: %q", c)
		}
		p.set(nil)
		time.Sleep(time.Minute)
		if c := enter(); c != "" {
			t.Errorf("it is back: %q", c)
		}
		p.rotate("ec")
		time.Sleep(time.Hour - time.Second)
		if c := enter(); c != "" {
			t.Errorf("within the hour: %q", c)
		}
		time.Sleep(time.Second)
		if c := enter(); c != fault.Unauthorized {
			t.Errorf("after an hour: %q", c)
		}
	})
}

func TestTheFirstTokensTogetherAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("rsa")
		p.takes = 300 * time.Millisecond
		k := door(t, p, &table{})
		if p.fetches() > 0 {
			t.Error("the issuer was asked before a token came")
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := k.Caller(t.Context(), "Bearer "+signers()["rsa"].sign(claims())); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := p.fetches(); n != 1 {
			t.Errorf("the issuer was asked %d times", n)
		}
	})
}
