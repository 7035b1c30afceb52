// Package client is a small client of the HTTP API, for tests.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client talks to one API with one key.
type Client struct {
	URL string
	Key string
}

// Receipt is what a submission answers.
type Receipt struct {
	OperationID, SessionID, StreamID, Status, TraceID string
	Accepted                                          bool
	After                                             uint64
}

// Operation is a snapshot.
type Operation struct {
	OperationID, SessionID, StreamID, Agent, Status, Prompt string
	PromptBytes                                             int64
	Round                                                   int
	AsOfSeq, FirstSeq, LastSeq                              uint64
	AcceptedAt                                              time.Time
	StartedAt, SettledAt                                    *time.Time
	Output                                                  *string
	OutputRef                                               *Ref
	Error                                                   *struct{ Code, Message string }
	Approvals                                               []Approval
	Usage                                                   struct{ InputTokens, OutputTokens, CachedTokens, ReasoningTokens, ModelCalls int64 }
}

// Approval is a call that waits for a person.
type Approval struct {
	Step, Tool, Reason string
	Round, Index       int
	UnknownSeq         uint64
	Arguments          json.RawMessage
	RequestedAt        time.Time
	ExpiresAt          *time.Time
}

// Ref names content that stands apart.
type Ref struct {
	SHA256, Type string
	Bytes        int64
}

// Settled reports whether the operation has ended.
func (o Operation) Settled() bool {
	return o.Status == "completed" || o.Status == "failed" || o.Status == "cancelled"
}

// Event is one event; Data is kept as it came.
type Event struct {
	Seq         uint64
	Type        string
	V           int
	At          time.Time
	OperationID string
	Round       int
	Data        json.RawMessage
}

// Problem is an answer that is not a success.
type Problem struct {
	HTTP                               int `json:"-"`
	Type, Title, Detail, Code, TraceID string
	Status                             int
	Retryable                          bool
	ContentType, RetryAfter            string `json:"-"`
	Body                               string `json:"-"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.HTTP, p.Code, p.Detail) }

// Submission is the body of a submission; absent fields are not sent.
type Submission struct {
	Prompt       string `json:"prompt,omitempty"`
	PromptUpload string `json:"promptUpload,omitempty"`
	OperationID  string `json:"operationId,omitempty"`
	Agent        string `json:"agent,omitempty"`
}

// Submit submits a prompt.
func (c Client) Submit(ctx context.Context, session string, s Submission) (r Receipt, err error) {
	_, err = c.Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations", s, &r)
	return r, err
}

// Operation is the snapshot, after up to wait seconds.
func (c Client) Operation(ctx context.Context, session, id string, wait int) (o Operation, err error) {
	_, err = c.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/operations/%s?wait=%d", session, id, wait), nil, &o)
	return o, err
}

// Wait asks until the operation has settled or ctx ends.
func (c Client) Wait(ctx context.Context, session, id string) (Operation, error) {
	for {
		o, err := c.Operation(ctx, session, id, 20)
		if err != nil || o.Settled() {
			return o, err
		}
	}
}

// Events is the session's log after a seq, followed page by page to its end.
func (c Client) Events(ctx context.Context, session string, after uint64) ([]Event, error) {
	var all []Event
	for path := fmt.Sprintf("/v1/sessions/%s/events?after=%d", session, after); path != ""; {
		var page struct {
			Events  []Event
			LastSeq uint64
		}
		h, err := c.Do(ctx, http.MethodGet, path, nil, &page)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Events...)
		path, _, _ = strings.Cut(strings.TrimPrefix(h.Get("Link"), "<"), ">")
	}
	return all, nil
}

// Do sends one request. An answer that is not a success is a *Problem.
func (c Client) Do(ctx context.Context, method, path string, body, into any) (http.Header, error) {
	var b []byte
	if body != nil {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	return c.Raw(ctx, method, path, b, into)
}

// Raw is Do with the body's bytes.
func (c Client) Raw(ctx context.Context, method, path string, body []byte, into any) (http.Header, error) {
	a, err := c.Send(ctx, method, path, nil, body)
	if err != nil || into == nil {
		return a.Header, err
	}
	return a.Header, json.Unmarshal(a.Body, into)
}

// Answer is what came of one request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// direct follows no redirect: the caller sees where it would go.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Send sends one request and follows no redirect. An answer from 400 on is a
// *Problem.
func (c Client) Send(ctx context.Context, method, path string, header http.Header, body []byte) (Answer, error) {
	base, err := url.Parse(c.URL)
	if err != nil {
		return Answer{}, err
	}
	r, err := http.NewRequestWithContext(ctx, method, base.String()+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	a, err := exchange(r)
	if err == nil && a.Status >= 400 {
		p := &Problem{HTTP: a.Status, ContentType: a.Header.Get("Content-Type"), RetryAfter: a.Header.Get("Retry-After"), Body: string(a.Body)}
		_ = json.Unmarshal(a.Body, p) // what is no problem document has no code
		return a, p
	}
	return a, err
}

func exchange(r *http.Request) (Answer, error) {
	res, err := direct.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return Answer{res.StatusCode, res.Header, b}, err
}
