package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// File is a file's description.
type File struct {
	Path, SHA256, ContentType string
	Bytes                     int64
}

// Upload says how to store content.
type Upload struct {
	UploadID  string
	Present   bool
	URL       string
	Headers   map[string]string
	ExpiresAt string
}

// FilePath is the route of a file.
func FilePath(session, path string) string {
	return "/v1/sessions/" + session + "/files/" + (&url.URL{Path: strings.TrimPrefix(path, "/")}).EscapedPath()
}

// Hash is content's SHA-256, as the API writes it.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// PutFile writes a file; the status tells whether it was made or replaced.
func (c Client) PutFile(ctx context.Context, session, path string, data []byte, header http.Header) (f File, status int, err error) {
	a, err := c.Send(ctx, http.MethodPut, FilePath(session, path), header, data)
	if err == nil {
		err = json.Unmarshal(a.Body, &f)
	}
	return f, a.Status, err
}

// PutUpload makes what was uploaded a file.
func (c Client) PutUpload(ctx context.Context, session, path, uploadID string) (f File, err error) {
	_, err = c.Do(ctx, http.MethodPut, FilePath(session, path)+"?upload="+url.QueryEscape(uploadID), nil, &f)
	return f, err
}

// GetFile reads a file, wherever it is.
func (c Client) GetFile(ctx context.Context, session, path string) (Answer, error) {
	return c.Get(ctx, FilePath(session, path))
}

// Get follows a redirect by itself: the URL is signed, and must not come with a
// key.
func (c Client) Get(ctx context.Context, path string) (Answer, error) {
	a, err := c.Send(ctx, http.MethodGet, path, nil, nil)
	if err != nil || a.Status != http.StatusTemporaryRedirect {
		return a, err
	}
	return Fetch(ctx, http.MethodGet, a.Header.Get("Location"))
}

// Fetch asks a signed URL.
func Fetch(ctx context.Context, method, to string) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, to, nil)
	if err != nil {
		return Answer{}, err
	}
	return exchange(r)
}

// DeleteFile deletes a file.
func (c Client) DeleteFile(ctx context.Context, session, path string) error {
	_, err := c.Do(ctx, http.MethodDelete, FilePath(session, path), nil, nil)
	return err
}

// Announce prepares an upload.
func (c Client) Announce(ctx context.Context, session, name string, data []byte) (u Upload, err error) {
	_, err = c.Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/uploads", map[string]any{"name": name, "bytes": len(data), "sha256": Hash(data)}, &u)
	return u, err
}

// Upload stores content and returns its upload id.
func (c Client) Upload(ctx context.Context, session, name string, data []byte) (string, error) {
	u, err := c.Announce(ctx, session, name, data)
	if err != nil || u.Present {
		return u.UploadID, err
	}
	a, err := Store(ctx, u, data)
	if err == nil && a.Status != http.StatusOK && a.Status != http.StatusPreconditionFailed {
		err = fmt.Errorf("the upload was answered with %d %s", a.Status, a.Body)
	}
	return u.UploadID, err
}

// Store sends content to where an upload says.
func Store(ctx context.Context, u Upload, data []byte) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, u.URL, bytes.NewReader(data))
	if err != nil {
		return Answer{}, err
	}
	for name, value := range u.Headers {
		r.Header.Set(name, value)
	}
	return exchange(r)
}
