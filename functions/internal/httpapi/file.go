package httpapi

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/workspace"
)

type fileBody struct {
	Path        string `json:"path"`
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"`
	ContentType string `json:"contentType"`
}

func fileOf(f workspace.File) fileBody { return fileBody{f.Path, f.Bytes, f.SHA256, f.ContentType} }

func (a *API) readFile(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	f, err := a.Files.ReadFile(ctx, stream(r, who), session.FileRead{
		Path: r.PathValue("path"), Method: r.Method, Known: func(sha256 string) bool { return listed(r, "If-None-Match", sha256) },
	})
	if err != nil {
		return err
	}
	if !expects(r, f.SHA256) {
		return fault.New(fault.PreconditionFailed, "the file that is there has the ETag %q", f.SHA256)
	}
	h := w.Header()
	h.Set("ETag", etag(f.SHA256))
	h.Set("Cache-Control", "private, no-cache")
	untrusted(h)
	switch {
	case f.Known:
		w.WriteHeader(http.StatusNotModified)
	case f.URL != "":
		redirect(w, f.URL)
	default:
		h.Set("Content-Type", f.ContentType)
		if !harmless(f.ContentType) {
			h.Set("Content-Disposition", "attachment")
		}
		writePart(w, r, f)
	}
	return nil
}

// untrusted marks an answer that holds a user's or a model's bytes: nothing in it
// may run in the API's origin.
func untrusted(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
}

// harmless types are shown by a browser and run nothing. All others, known or
// not, are saved.
func harmless(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "text/plain", "text/markdown", "text/csv", "text/css", "application/json", "application/yaml",
		"image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// redirect sends the client to where the content is. The URL is signed afresh
// each time and lets in whoever has it, so nobody keeps the answer.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusTemporaryRedirect)
}

func (a *API) putFile(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	put, err := fileWrite(r)
	if err != nil {
		return err
	}
	f, err := a.Files.PutFile(ctx, stream(r, who), put)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if f.Created {
		status = http.StatusCreated
	}
	w.Header().Set("ETag", etag(f.SHA256))
	writeJSON(w, status, struct {
		fileBody
		AsOfSeq uint64 `json:"asOfSeq"`
	}{fileOf(f.File), f.AsOfSeq})
	return nil
}

func fileWrite(r *http.Request) (session.FileWrite, error) {
	put := session.FileWrite{Path: r.PathValue("path"), ContentType: r.Header.Get("Content-Type"), Holds: func(sha256 string) bool { return expects(r, sha256) && !listed(r, "If-None-Match", sha256) }}
	if kind, _, _ := mime.ParseMediaType(put.ContentType); kind == "application/x-www-form-urlencoded" {
		put.ContentType = "" // what curl says of any body
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(query["upload"]) > 1 || query.Has("upload") && query.Get("upload") == "" {
		return put, fault.New(fault.InvalidRequest, "the query string is malformed; it takes one upload")
	}
	put.Upload = query.Get("upload")
	b, err := io.ReadAll(io.LimitReader(r.Body, session.MaxFile+1))
	if err != nil {
		return put, fault.New(fault.InvalidRequest, "the body could not be read to its end")
	}
	put.Data = string(b)
	return put, nil
}

func (a *API) deleteFile(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	err := a.Files.DeleteFile(ctx, stream(r, who), session.FileWrite{
		Path: r.PathValue("path"), Holds: func(sha256 string) bool { return expects(r, sha256) && !listed(r, "If-None-Match", sha256) },
	})
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

func (a *API) files(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	q, err := listQuery(r, session.DefaultNames, session.MaxNames)
	if err != nil {
		return err
	}
	p, err := a.Lists.Files(ctx, stream(r, who), r.URL.Query().Get("prefix"), q)
	if err != nil {
		return err
	}
	body := struct {
		Files      []fileBody `json:"files"`
		AsOfSeq    uint64     `json:"asOfSeq"`
		NextCursor string     `json:"nextCursor,omitempty"`
	}{[]fileBody{}, p.AsOfSeq, p.Next}
	for _, f := range p.Files {
		body.Files = append(body.Files, fileOf(f))
	}
	linkNext(w, r, p.Next)
	writeJSON(w, http.StatusOK, body)
	return nil
}

// etag is a content's validator; "" is of what is not there.
func etag(sha256 string) string { return `"` + strings.ToLower(sha256) + `"` }
