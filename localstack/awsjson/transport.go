package awsjson

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// errAborted is what a client sees of a handler that panics with
// http.ErrAbortHandler: the connection closed without an answer.
var errAborted = errors.New("awsjson: the handler closed the connection before an answer")

// Transport returns a RoundTripper that calls h on the caller's goroutine, with
// the request as a server would see it. The request body is handed over as it
// is, read once and closed. The response is held in memory, but that of a GET is
// handed over as it is written: its body must be closed, or the handler is kept
// until the request's context ends. A handler that waits must honour that
// context: a request that is cancelled when the handler returns yields its error.
func Transport(h http.Handler) http.RoundTripper { return transport{h} }

type transport struct{ handler http.Handler }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body := req.Body
	if body == nil {
		body = http.NoBody
	}
	defer body.Close()
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if req.Method == http.MethodGet {
		return t.stream(serverSide(req, body), req)
	}
	rec := &recorder{header: make(http.Header, 8)}
	if err := serve(t.handler, rec, serverSide(req, body)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return rec.response(req), nil
}

// serve turns the one panic that net/http defines into an error. Any other is
// a defect and goes on.
func serve(h http.Handler, w http.ResponseWriter, req *http.Request) (err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			err = errAborted
		} else if p != nil {
			panic(p)
		}
	}()
	h.ServeHTTP(w, req)
	return nil
}

// serverSide is the request as it would arrive over a socket. Headers are
// shared with the client's request, so a handler must not change them.
func serverSide(req *http.Request, body io.ReadCloser) *http.Request {
	in := req.WithContext(req.Context()) // the cheap copy
	url := *req.URL
	in.RequestURI = url.RequestURI()
	if in.Host == "" {
		in.Host = url.Host
	}
	url.Scheme, url.Host, url.User = "", "", nil
	in.URL = &url
	in.Body = body
	in.GetBody = nil
	in.Response = nil
	in.RemoteAddr = "127.0.0.1:0"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Header == nil {
		in.Header = http.Header{}
	}
	if req.ContentLength == 0 && body != http.NoBody {
		in.ContentLength = -1 // unknown, says net/http of a client's request
	}
	return in
}

// recorder keeps one answer.
type recorder struct {
	header http.Header
	status int
	body   []byte
	read   int
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
}

// Write copies p, as the contract of http.ResponseWriter demands.
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, p...)
	return len(p), nil
}

func (r *recorder) Flush() {}

func (r *recorder) response(req *http.Request) *http.Response {
	r.WriteHeader(http.StatusOK)
	length := int64(len(r.body))
	if req.Method == http.MethodHead { // the length of what GET would answer
		if n, err := strconv.ParseInt(r.header.Get("Content-Length"), 10, 64); err == nil {
			length = n
		}
		r.body = nil
	}
	out := answer(r.status, r.header, req)
	out.Body, out.ContentLength = r, length
	return out
}

// answer is a response but for its body.
func answer(status int, header http.Header, req *http.Request) *http.Response {
	return &http.Response{
		Status:     strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     header,
		Request:    req,
	}
}

// Read and Close make the recorder the response's body as well.
func (r *recorder) Read(p []byte) (int, error) {
	if r.read == len(r.body) {
		return 0, io.EOF
	}
	n := copy(p, r.body[r.read:])
	r.read += n
	return n, nil
}

func (r *recorder) Close() error { return nil }
