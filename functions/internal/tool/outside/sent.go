package outside

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
)

// Sent says whether anything of a request may have left.
type Sent struct{ tried, begun atomic.Bool }

// Watch watches the requests that are made with the context it returns.
func Watch(ctx context.Context) (context.Context, *Sent) {
	s := &Sent{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { s.tried.Store(true) },
		// From here on bytes are written. What fails before, be it a name, a connection
		// or a handshake, is certain not to have asked for anything.
		GotConn: func(httptrace.GotConnInfo) { s.begun.Store(true) },
	}), s
}

// Begun: the server may have received the request. It is false only where it was seen
// that a connection was asked for and never stood: a transport that tells nothing,
// such as one within a process, may have sent everything.
func (s *Sent) Begun() bool { return s.begun.Load() || !s.tried.Load() }
