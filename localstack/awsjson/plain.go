package awsjson

import (
	"io"
	"net/http"
)

// PlainBodies hides from net/http that the SDK's request bodies have a WriteTo.
//
// smithy-go v1.28.9 closes a body as soon as an answer arrives, and its WriteTo then
// returns io.EOF. net/http probes the body once more after it has sent it; if a
// server on the same machine answers before that probe, the EOF counts as a failed
// write and the connection is closed under the response that is being read ("use of
// closed network connection", about once in a thousand on a busy machine). Read has
// no such flaw.
func PlainBodies(next http.RoundTripper) http.RoundTripper { return plainBodies{next} }

type plainBodies struct{ next http.RoundTripper }

func (p plainBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		in := r.WithContext(r.Context()) // the cheap copy
		in.Body = struct{ io.ReadCloser }{r.Body}
		r = in
	}
	return p.next.RoundTrip(r)
}
