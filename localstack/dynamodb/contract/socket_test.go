package contract

import (
	"io"
	"net/http"
)

// opaqueBody hides from net/http that the SDK's request body has a WriteTo.
//
// smithy-go v1.28.9 closes the body as soon as an answer arrives, and its
// WriteTo then returns io.EOF. net/http probes the body once more after it has
// sent it; if a server on the same machine answers before that probe, the EOF
// counts as a failed write and the connection is closed under the response that
// is being read ("use of closed network connection", about once in a thousand
// responses of 400 KB on a busy machine). Read has no such flaw.
type opaqueBody struct{ next http.RoundTripper }

func (o opaqueBody) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		in := r.WithContext(r.Context())
		in.Body = struct{ io.ReadCloser }{r.Body}
		r = in
	}
	return o.next.RoundTrip(r)
}
