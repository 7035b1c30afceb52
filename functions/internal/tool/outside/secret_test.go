package outside

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func vault(_ context.Context, name string) (string, error) {
	switch name {
	case "TOKEN":
		return "s3cret-token\n", nil
	case "TORN":
		return "a\r\nX-Evil: 1", nil
	case "EMPTY":
		return "", nil
	}
	return "", errors.New("no such secret")
}

func TestHeadersAreConfiguredByName(t *testing.T) {
	var h Headers
	if err := json.Unmarshal([]byte(`{"accept":"application/json","Authorization":{"secret":"TOKEN","prefix":"Bearer "}}`), &h); err != nil {
		t.Fatal(err)
	}
	got := http.Header{"Accept": {"text/html"}}
	hidden, err := h.Resolve(t.Context(), vault, true, got)
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer s3cret-token"}}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff(Hidden{"s3cret-token"}, hidden); diff != "" {
		t.Error(diff)
	}
	without := http.Header{}
	if _, err := h.Resolve(t.Context(), vault, false, without); err != nil || without.Get("Authorization") != "" {
		t.Errorf("without secrets: %v, %v", without, err)
	}
}

func TestHeadersThatCannotBeConfigured(t *testing.T) {
	for _, s := range []string{
		`{"Host":"a"}`, `{"content-length":"1"}`, `{"Idempotency-Key":"1"}`, `{"a b":"1"}`, `{"":"1"}`, `{"X-A":"1","x-a":"2"}`, `{"X":"a\nb"}`, `{"X":"ü"}`,
		`{"X":{"secret":"token"}}`, `{"X":{"secret":"TOKEN","value":"x"}}`, `{"X":{}}`, `{"X":1}`, `{"X":{"secret":"TOKEN","prefix":"\r\n"}}`,
	} {
		var h Headers
		if err := json.Unmarshal([]byte(s), &h); err == nil {
			t.Errorf("%s is taken: %v", s, h)
		}
	}
}

func TestASecretThatCannotBeSentEndsTheCall(t *testing.T) {
	for name, s := range map[string]Secrets{"TORN": vault, "EMPTY": vault, "OTHER": vault, "TOKEN": nil} {
		h := Headers{"Authorization": {secret: name}}
		into := http.Header{}
		_, err := h.Resolve(t.Context(), s, true, into)
		if got := code(t, err); got != SecretMissing || len(into) != 0 || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, err, into)
		}
	}
}

func TestASecretIsHiddenAcrossACutToo(t *testing.T) {
	h := Hidden{"s3cret-token", "short"}
	for in, want := range map[string]string{
		"a s3cret-token b s3cret-token": "a [secret] b [secret]",
		"nothing short here":            "nothing short here",
		"ends s3cret-tok":               "ends ",
		"ends s":                        "ends ",
	} {
		if got := string(h.Hide([]byte(in), true)); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := string(h.Hide([]byte("ends s"), false)); got != "ends s" {
		t.Errorf("what is whole is shown as %q", got)
	}
}

func FuzzHide(f *testing.F) {
	f.Add("s3cret-token", "x s3cret-tokens3cret-tok", 20)
	f.Add("aaaaaaaaab", "aaaaaaaaaaaaaaaaaab", 12)
	f.Fuzz(func(t *testing.T, secret, data string, at int) {
		if len(secret) < leastHidden || strings.Contains(curtain, secret) || at < 0 || at > len(data) {
			return
		}
		got := string(Hidden{secret}.Hide([]byte(data[:at]), true))
		if strings.Contains(data[:at], secret) {
			return // what was put in its place moves the rest
		}
		for p := range data[:at] {
			if strings.HasPrefix(data[p:], secret) && len(got) > p {
				t.Errorf("%q shows the beginning of %q", got, secret)
			}
		}
	})
}
