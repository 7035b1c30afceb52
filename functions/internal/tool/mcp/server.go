package mcp

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/mcp/config"
	"windlass/functions/internal/tool/outside"
)

// server is one MCP server, and what is known of it.
type server struct {
	config.Server
	timeout time.Duration
	client  *sdk.Client
	http    *http.Client
	now     func() time.Time

	connecting sync.Mutex // held while a session is made
	mu         sync.Mutex
	session    *sdk.ClientSession

	listing sync.Mutex // held while a list is made
	known   list
}

func newServer(c config.Server, o Options) *server {
	timeout, _ := c.Timeout.Timeout() // was checked
	n := o.Network
	n.Internal = c.Internal
	return &server{
		Server: c, timeout: timeout, now: o.Now,
		// No capability: a server may ask us for nothing.
		client: sdk.NewClient(&sdk.Implementation{Name: "windlass", Version: "1"}, &sdk.ClientOptions{
			Capabilities:   &sdk.ClientCapabilities{},
			MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, // it would repeat calls
		}),
		http: &http.Client{
			Transport:     &transport{base: n.Transport(), headers: c.Headers, secrets: o.Secrets},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// connectTimeout bounds the making of a session, and of a list.
const connectTimeout = 10 * time.Second

// open returns the session, or makes one. fresh says that it was made just now.
func (s *server) open(ctx context.Context) (session *sdk.ClientSession, fresh bool, err error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if at := s.current(); at != nil {
		return at, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	session, err = s.client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: s.http,
		MaxRetries:           2,    // of reading an answer on; a call is never sent again
		DisableStandaloneSSE: true, // nothing listens between calls: a function is frozen then
		MaxEventSize:         maxAnswer,
	}, nil)
	if err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session
	return session, true, nil
}

func (s *server) current() *sdk.ClientSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// drop forgets a session that is of no use any more. Others may have made a new one
// meanwhile, which stays.
func (s *server) drop(session *sdk.ClientSession) {
	s.mu.Lock()
	mine := s.session == session && session != nil
	if mine {
		s.session = nil
	}
	s.mu.Unlock()
	if mine {
		go func() { _ = session.Close() }() // says good-bye to a server that may not be there
	}
}

func (s *server) close() {
	if session := s.current(); session != nil {
		s.mu.Lock()
		s.session = nil
		s.mu.Unlock()
		_ = session.Close()
	}
}

// problem is why a server gave no list, as far as it may be shown.
func problem(h *heard, err error) tool.Failure {
	var f tool.Failure
	if status := int(h.status.Load()); status >= 300 {
		return refused(status)
	}
	if errors.As(outside.Lost(tool.Read, h.sent, err), &f) {
		return f
	}
	return outside.Failf(outside.Unreachable, "the server could not be reached")
}

func refused(status int) tool.Failure {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return outside.Failf("denied", "the server answered with HTTP status %d; a person has to look at the secret that it is given", status)
	case status == http.StatusTooManyRequests:
		return outside.Failf("throttled", "the server is asked too often; try again later")
	case status < 400:
		return outside.Failf("moved", "the server answered with HTTP status %d: it has moved; a person has to configure its new URL", status)
	case status < 500:
		return outside.Failf("refused", "the server answered with HTTP status %d", status)
	}
	return outside.Failf("unavailable", "the server answered with HTTP status %d; try again later", status)
}
