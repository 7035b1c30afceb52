package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// fingerprint tells a repeated submission from a different one under the same
// id. It is stored, so its form is for ever: "v1:" and the hex SHA-256 of the
// canonical JSON (sorted keys, no space) of the fields that were given. A prompt
// counts by its own hash and length, however it arrived.
func fingerprint(p prompt, agent string) string {
	type counted struct {
		Bytes  int64  `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	b, err := json.Marshal(struct {
		Agent  string  `json:"agent,omitempty"`
		Prompt counted `json:"prompt"`
	}{agent, counted{p.bytes, p.sha256}})
	if err != nil {
		panic(err) // strings and numbers
	}
	all := sha256.Sum256(b)
	return "v1:" + hex.EncodeToString(all[:])
}
