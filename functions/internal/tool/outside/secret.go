package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
)

// Secrets finds a secret by its name. The harness gives it.
type Secrets func(ctx context.Context, name string) (string, error)

var secretName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// value is a header's value: a text, or a secret after a prefix.
type value struct {
	text, secret, prefix string
}

func (v *value) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &v.text) == nil {
		return nil
	}
	var by struct {
		Secret string `json:"secret"`
		Prefix string `json:"prefix"`
	}
	if err := strict(data, &by); err != nil || !secretName.MatchString(by.Secret) {
		return errors.New("a header is a text, or {secret: NAME, prefix: TEXT} with a name such as GITHUB_TOKEN")
	}
	v.secret, v.prefix = by.Secret, by.Prefix
	return nil
}

// Headers are what a configuration adds to every request, by canonical name:
//
//	Accept: application/json
//	Authorization: {secret: GITHUB_TOKEN, prefix: "Bearer "}
type Headers map[string]value

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")

// ours are headers that the connection or the protocol decides on.
var ours = map[string]bool{
	"Accept-Encoding": true, "Connection": true, "Content-Length": true, "Expect": true, "Host": true, "Idempotency-Key": true, "Keep-Alive": true,
	"Proxy-Authorization": true, "Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// UnmarshalJSON reads them, and says which cannot be taken.
func (h *Headers) UnmarshalJSON(data []byte) error {
	var read map[string]value
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*h = Headers{}
	for name, v := range read {
		canonical := http.CanonicalHeaderKey(name)
		switch _, twice := (*h)[canonical]; {
		case !headerName.MatchString(name) || ours[canonical]:
			return fmt.Errorf("the header %q cannot be configured", name)
		case twice:
			return fmt.Errorf("the header %s is configured twice", canonical)
		case !visible(v.text) || !visible(v.prefix):
			return fmt.Errorf("the value of header %s is not plain ASCII", canonical)
		}
		(*h)[canonical] = v
	}
	return nil
}

func visible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// Resolve sets the headers in into, those with secrets only if secret is true, and
// returns what must not be shown.
func (h Headers) Resolve(ctx context.Context, s Secrets, secret bool, into http.Header) (Hidden, error) {
	var hidden Hidden
	for name, v := range h {
		text := v.text
		if v.secret != "" {
			if !secret {
				continue
			}
			found, err := s.find(ctx, v.secret)
			if err != nil {
				return nil, err
			}
			hidden = append(hidden, found)
			text = v.prefix + found
		}
		into.Set(name, text)
	}
	return hidden, nil
}

func (s Secrets) find(ctx context.Context, name string) (string, error) {
	missing := Failf(SecretMissing, "the secret %s, which the agent's definition names, cannot be read; a person has to set it", name)
	if s == nil {
		return "", missing
	}
	found, err := s(ctx, name)
	if err != nil {
		slog.ErrorContext(ctx, "a tool's secret cannot be read", "secret", name, "error", err)
		return "", missing
	}
	if found = strings.TrimRight(found, "\r\n"); found == "" || !visible(found) {
		return "", missing
	}
	return found, nil
}

// Hidden are texts that must not be shown. Those of under eight bytes would be found
// everywhere, and are not hidden.
type Hidden []string

const (
	leastHidden = 8
	curtain     = "[secret]"
)

// Longest is the length of the longest of them.
func (h Hidden) Longest() (n int) {
	for _, s := range h {
		n = max(n, len(s))
	}
	return n
}

// Hide puts something else in their place. cut says that data ends somewhere: then
// the beginning of a hidden text at its end goes too.
func (h Hidden) Hide(data []byte, cut bool) []byte {
	for _, s := range h {
		if len(s) < leastHidden {
			continue
		}
		data = bytes.ReplaceAll(data, []byte(s), []byte(curtain))
	}
	for _, s := range h {
		for n := min(len(s), len(data)); cut && n > 0 && len(s) >= leastHidden; n-- {
			if bytes.HasSuffix(data, []byte(s[:n])) {
				data = data[:len(data)-n]
				break
			}
		}
	}
	return data
}
