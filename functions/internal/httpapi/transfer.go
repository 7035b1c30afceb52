package httpapi

import (
	"context"
	"net/http"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

func (a *API) upload(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	var name, sha256, contentType *string
	var bytes *int64
	if err := readJSON(r, map[string]any{"name": &name, "bytes": &bytes, "sha256": &sha256, "contentType": &contentType}); err != nil {
		return err
	}
	if bytes == nil || sha256 == nil {
		return fault.New(fault.InvalidRequest, `an upload needs "bytes" and "sha256", in lower-case hex`)
	}
	u := session.UploadRequest{Bytes: *bytes, SHA256: *sha256}
	if name != nil {
		u.Name = *name
	}
	if contentType != nil {
		u.ContentType = *contentType
	}
	prepared, err := a.Transfers.Upload(ctx, stream(r, who), u)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, prepared)
	return nil
}

func (a *API) blob(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	url, err := a.Transfers.Blob(ctx, stream(r, who), r.PathValue("sha256"), r.Method)
	if err == nil {
		untrusted(w.Header())
		redirect(w, url)
	}
	return err
}
