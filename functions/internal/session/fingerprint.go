package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Versions of fingerprints: of what comes alone, and of what comes with files.
const (
	printAlone = "v1:"
	printInput = "v2:"
)

// fingerprint tells a repeated submission from a different one under the same
// id. It is stored, so its form is for ever: the version and the hex SHA-256 of the
// canonical JSON (sorted keys, no space) of the fields that were given. A prompt
// counts by its own hash and length, however it arrived, and so does an upload; a file
// of the workspace counts by its path: a request that is sent again is the same one,
// whatever stands there meanwhile.
func fingerprint(p prompt, agent string, input []part) string {
	type counted struct {
		Bytes  int64  `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	type named struct {
		Bytes  int64  `json:"bytes,omitempty"`
		Name   string `json:"name,omitempty"`
		Path   string `json:"path,omitempty"`
		SHA256 string `json:"sha256,omitempty"`
		Type   string `json:"type,omitempty"`
	}
	version := printAlone
	var files []named
	for _, f := range input {
		version = printInput
		files = append(files, named{f.upload.bytes, f.name, f.path, f.upload.sha256, f.upload.mediaType})
	}
	b, err := json.Marshal(struct {
		Agent  string  `json:"agent,omitempty"`
		Input  []named `json:"input,omitempty"`
		Prompt counted `json:"prompt"`
	}{agent, files, counted{p.bytes, p.sha256}})
	if err != nil {
		panic(err) // strings and numbers
	}
	all := sha256.Sum256(b)
	return version + hex.EncodeToString(all[:])
}

func (sub *Submission) fingerprint() string { return fingerprint(sub.prompt, sub.Agent, sub.parts) }
