package stepfunctions

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
)

// A task token is, in base64: a version, the execution, the attempt, and what
// nobody can guess. The execution's cursor holds the one that is valid.
const (
	tokenVersion = 1
	tokenSecret  = 24
	tokenBytes   = 1 + 8 + 8 + tokenSecret
)

func newToken(seq, attempt uint64) string {
	t := make([]byte, 1, tokenBytes)
	t[0] = tokenVersion
	t = binary.BigEndian.AppendUint64(t, seq)
	t = binary.BigEndian.AppendUint64(t, attempt)
	secret := make([]byte, tokenSecret)
	rand.Read(secret) // never fails
	return base64.RawURLEncoding.EncodeToString(append(t, secret...))
}

// tokenExecution returns the execution a token belongs to, if it is one.
func tokenExecution(token string) (seq uint64, ok bool) {
	t, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(t) != tokenBytes || t[0] != tokenVersion {
		return 0, false
	}
	return binary.BigEndian.Uint64(t[1:]), true
}
