package providers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Protocol is how one provider speaks.
type Protocol interface {
	// Name is the provider's in an agent's definition.
	Name() string
	// Path is of the requests; it may have one {model} in it.
	Path() string
	// Write sends an answer. An error in place of one too.
	Write(w *Writer, a Answer)
	// Check says which of the protocol's rules a request breaks.
	Check(r *http.Request, body []byte) error
}

// Server answers in order, and keeps what it was asked.
type Server struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  [][]byte
	headers []http.Header
}

// Serve starts a server. answer gives the nth answer, from 0, and may look at the
// request. A request that breaks the protocol's rules fails the test.
func Serve(t testing.TB, p Protocol, answer func(n int, body []byte) Answer) *Server {
	t.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+p.Path(), func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if err := p.Check(r, body); err != nil {
			t.Errorf("%s: the request breaks the protocol: %v\n%.4000s", p.Name(), err, body)
		}
		s.mu.Lock()
		n := len(s.bodies)
		s.bodies, s.headers = append(s.bodies, body), append(s.headers, r.Header.Clone())
		s.mu.Unlock()
		p.Write(&Writer{ResponseWriter: w, hold: nil}, answer(n, body))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s: %s %s is not of the protocol", p.Name(), r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// Requests are the bodies so far.
func (s *Server) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.bodies...)
}

// Headers are those of the requests so far.
func (s *Server) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]http.Header(nil), s.headers...)
}

// Writer sends pieces, each at once.
type Writer struct {
	http.ResponseWriter
	hold func(int) bool
	sent int
}

// Begin heeds the answer's Hold from here on.
func (w *Writer) Begin(a Answer) { w.hold = a.Hold }

// Piece sends bytes and flushes them; it drops the connection where Hold says so.
func (w *Writer) Piece(b []byte) {
	if w.hold != nil && !w.hold(w.sent) {
		w.Drop()
	}
	w.sent++
	_, _ = w.Write(b)
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Drop breaks the connection off.
func (w *Writer) Drop() { panic(http.ErrAbortHandler) }
