package bedrock

import (
	"bytes"
	"io"
	"net/http"
)

// body sends a request's bytes in place of the SDK's reader. The SDK closes that as
// soon as the answer begins; where net/http has not yet seen its end, it then takes
// the request for failed and drops the connection, and the answer with it.
type body struct {
	network http.RoundTripper
	bytes   []byte
}

func (b body) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	own := req.WithContext(req.Context()) // a copy; the request is the caller's
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.bytes)), nil }
	own.Body, _ = own.GetBody()
	own.ContentLength = int64(len(b.bytes))
	return b.network.RoundTrip(own)
}
