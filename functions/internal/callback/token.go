package callback

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

// Step is the call that a URL is for.
type Step struct {
	Stream    eventstore.Stream
	Operation string
	Round     int
	Index     int
}

// wire is a step as a token has it.
type wire struct {
	Tenant    string `json:"t"`
	Session   string `json:"s"`
	Operation string `json:"o"`
	Round     int    `json:"r"`
	Index     int    `json:"i"`
}

// maxToken bounds a token, in bytes: its ids have 128 at most.
const maxToken = 1024

var encoding = base64.RawURLEncoding.Strict()

// sign writes a step's token: what it names, and a MAC of that.
func sign(key []byte, s Step) string {
	b, err := json.Marshal(wire{s.Stream.Tenant, s.Stream.Session, s.Operation, s.Round, s.Index})
	if err != nil {
		panic(fmt.Sprintf("callback: %v", err)) // plain values only
	}
	named := encoding.EncodeToString(b)
	return named + "." + encoding.EncodeToString(mac(key, named))
}

// read is the step that a token names, if the key made it.
func read(key []byte, token string) (Step, error) {
	named, its, _ := strings.Cut(token, ".")
	sum, err := encoding.DecodeString(its)
	if err != nil || len(token) > maxToken || !hmac.Equal(sum, mac(key, named)) {
		return Step{}, refused()
	}
	b, err := encoding.DecodeString(named)
	var w wire
	if err != nil || json.Unmarshal(b, &w) != nil {
		return Step{}, refused()
	}
	return Step{eventstore.Stream{Tenant: w.Tenant, Session: w.Session}, w.Operation, w.Round, w.Index}, nil
}

func refused() error {
	return fault.New(fault.NotFound, "no call is reported here; post to the whole URL as it was given")
}

func mac(key []byte, named string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("windlass callback 1\x00" + named))
	return h.Sum(nil)
}
