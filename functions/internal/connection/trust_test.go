package connection_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

// keyring answers for keys, and counts how often.
type keyring struct {
	err    error
	looked int
}

func (k *keyring) Valid(context.Context, string) error {
	k.looked++
	return k.err
}

func TestAKeyIsTrustedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keyring{}
		trust := connection.NewTrust(k, time.Now)
		refused := func(want bool) {
			t.Helper()
			if got := trust.Refused(t.Context(), "key-1"); got != want {
				t.Errorf("refused: %t, want %t", got, want)
			}
		}
		refused(false)
		k.err = fault.New(fault.Unauthorized, "revoked")
		time.Sleep(connection.Trusted - time.Nanosecond)
		refused(false)
		time.Sleep(time.Nanosecond)
		refused(true)
		refused(true)
		if k.looked != 2 {
			t.Errorf("the key was looked up %d times", k.looked)
		}
		if !trust.Refused(t.Context(), "key-2") {
			t.Error("another key is taken for this one")
		}
	})
}

// An outage is not a revocation, and is not remembered.
func TestAKeyThatCannotBeLookedUpIsTrusted(t *testing.T) {
	k := &keyring{err: fault.New(fault.Unavailable, "later")}
	trust := connection.NewTrust(k, time.Now)
	if trust.Refused(t.Context(), "key-1") {
		t.Error("it is refused")
	}
	k.err = fault.New(fault.Unauthorized, "revoked")
	if !trust.Refused(t.Context(), "key-1") || k.looked != 2 {
		t.Errorf("it is still trusted, after %d looks", k.looked)
	}
}
