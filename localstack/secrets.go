package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Files of the data directory. They are readable by their owner alone; the last
// one holds no secret.
const (
	credentialsFile = "aws-credentials"
	devKeyFile      = "dev-key"
	devKeyIDFile    = "dev-key-id"
)

// credentials are what the AWS subset accepts: one random pair for each data
// directory.
type credentials struct{ accessKey, secret string }

const credentialsForm = "# Accepted by the AWS subset of this data directory alone.\n[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n"

// loadCredentials reads the pair, or makes it. The file is one that the AWS CLI
// and SDKs read, by AWS_SHARED_CREDENTIALS_FILE.
func loadCredentials(data string) (credentials, error) {
	path := filepath.Join(data, credentialsFile)
	text, err := keep(path, func() string {
		return fmt.Sprintf(credentialsForm, "LOCAL"+rand.Text()[:15], randomSecret())
	})
	if err != nil {
		return credentials{}, err
	}
	var c credentials
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(name) {
		case "aws_access_key_id":
			c.accessKey = strings.TrimSpace(value)
		case "aws_secret_access_key":
			c.secret = strings.TrimSpace(value)
		}
	}
	if c.accessKey == "" || c.secret == "" {
		return c, fmt.Errorf("%s holds no credentials: delete it, and the next start makes new ones", path)
	}
	return c, nil
}

// lookup is the form in which package sigv4 asks.
func (c credentials) lookup(accessKey string) (string, bool) {
	if name := c.function(accessKey); name != "" {
		return c.of(name).secret, true
	}
	return c.secret, accessKey == c.accessKey
}

// of are a function's own, which stand for its role: who signs with them is known
// by name. They may do what the pair may.
func (c credentials) of(function string) credentials {
	h := hmac.New(sha256.New, []byte(c.secret))
	h.Write([]byte(function))
	return credentials{c.accessKey + "_" + function, base64.StdEncoding.EncodeToString(h.Sum(nil))}
}

// function is whose access key this is, or "" if it is no function's.
func (c credentials) function(accessKey string) string {
	name, _ := strings.CutPrefix(accessKey, c.accessKey+"_")
	if name == accessKey {
		return ""
	}
	return name
}

func randomSecret() string {
	var b [30]byte
	rand.Read(b[:]) // it never fails: see crypto/rand
	return base64.StdEncoding.EncodeToString(b[:])
}

// loadDevKey reads the development API key, or makes it.
func loadDevKey(data string) (string, error) {
	key, err := keep(filepath.Join(data, devKeyFile), func() string { return "wl_dev_" + rand.Text() + "\n" })
	if key = strings.TrimSpace(key); err == nil && !usableKey(key) {
		err = fmt.Errorf("%s holds no usable key: delete it, and the next start makes one", filepath.Join(data, devKeyFile))
	}
	return key, err
}

// usableKey reports whether a key can be sent as a bearer token (RFC 6750) and
// is long enough not to be guessed.
func usableKey(key string) bool {
	for _, c := range []byte(key) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("-._~+/=", c) < 0 {
			return false
		}
	}
	return len(key) >= 16 && len(key) <= 256
}

// keep reads a file, or writes what fresh returns into it, whole or not at all.
func keep(path string, fresh func() string) (string, error) {
	text, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		return string(text), err
	}
	made := fresh()
	return made, writeFile(path, []byte(made))
}

// writeFile replaces a file atomically, readable by its owner alone.
func writeFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
