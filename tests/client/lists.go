package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Files is the names of a session's files that begin with prefix, page by page.
func (c Client) Files(ctx context.Context, session, prefix string, limit int) (all []File, err error) {
	path := fmt.Sprintf("/v1/sessions/%s/files?prefix=%s&limit=%d", session, url.QueryEscape(prefix), limit)
	err = c.pages(ctx, path, func(b []byte) error {
		var p struct{ Files []File }
		err := json.Unmarshal(b, &p)
		all = append(all, p.Files...)
		return err
	})
	return all, err
}

// Operations is a session's operations, the newest first, page by page.
func (c Client) Operations(ctx context.Context, session string, limit int) (all []Operation, err error) {
	err = c.pages(ctx, fmt.Sprintf("/v1/sessions/%s/operations?limit=%d", session, limit), func(b []byte) error {
		var p struct{ Operations []Operation }
		err := json.Unmarshal(b, &p)
		all = append(all, p.Operations...)
		return err
	})
	return all, err
}

// Session is a session's entry.
type Session struct{ SessionID, StreamID, Agent, OpenedAt string }

// Sessions is the tenant's sessions, the newest first, page by page.
func (c Client) Sessions(ctx context.Context, limit int) (all []Session, err error) {
	err = c.pages(ctx, fmt.Sprintf("/v1/sessions?limit=%d", limit), func(b []byte) error {
		var p struct{ Sessions []Session }
		err := json.Unmarshal(b, &p)
		all = append(all, p.Sessions...)
		return err
	})
	return all, err
}

// Item is an entry of a transcript; its parts are kept as they came.
type Item struct {
	N                         uint64
	Kind                      string
	Text, Call, Output, Error json.RawMessage
}

// Transcript is what the model has seen, page by page.
func (c Client) Transcript(ctx context.Context, session string, limit int) (all []Item, err error) {
	err = c.pages(ctx, fmt.Sprintf("/v1/sessions/%s/transcript?limit=%d", session, limit), func(b []byte) error {
		var p struct{ Items []Item }
		err := json.Unmarshal(b, &p)
		all = append(all, p.Items...)
		return err
	})
	return all, err
}

// pages follows the links to the next page.
func (c Client) pages(ctx context.Context, path string, page func([]byte) error) error {
	for path != "" {
		a, err := c.Send(ctx, http.MethodGet, path, nil, nil)
		if err == nil {
			err = page(a.Body)
		}
		if err != nil {
			return err
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(a.Header.Get("Link"), "<"), ">")
	}
	return nil
}
