package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// moment is when the process is killed in a call.
type moment int

const (
	never moment = iota
	// before: the request has come, and nothing was done.
	before
	// after: it was done, and nobody was told.
	after
	// answered: it was done, and the answer is on its way.
	answered
)

func (m moment) String() string { return [...]string{"never", "before", "after", "answered"}[m] }

// order is what became of one call, which a request's path names.
type order struct {
	requests, effects int
	keys              map[string]bool
}

// shop is a service outside. A PUT takes effect once for each Idempotency-Key, a POST
// each time that it comes, a GET never.
type shop struct {
	*httptest.Server
	deaths

	mu     sync.Mutex
	orders map[string]*order
	// plans are when the process is killed in a call's first request, and in those after it.
	plans map[string][]moment
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{deaths: make(deaths), orders: map[string]*order{}, plans: map[string][]moment{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) plan(path string, requests ...moment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[path] = requests
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := s.receive(r.URL.Path)
	if now == before {
		s.die(r)
	}
	s.carryOut(r)
	if now == after {
		s.die(r)
	}
	_, _ = fmt.Fprintf(w, "receipt of %s", r.URL.Path)
	if now == answered {
		_ = http.NewResponseController(w).Flush()
		s.die(r)
	}
}

// die has the process killed, and answers nobody.
func (s *shop) die(r *http.Request) {
	s.deaths.wait(r.Context())
	panic(http.ErrAbortHandler)
}

func (s *shop) receive(path string) moment {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[path]
	if o == nil {
		o = &order{keys: map[string]bool{}}
		s.orders[path] = o
	}
	if o.requests++; o.requests > len(s.plans[path]) {
		return never
	}
	return s.plans[path][o.requests-1]
}

func (s *shop) carryOut(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, key := s.orders[r.URL.Path], r.Header.Get("Idempotency-Key")
	if r.Method == http.MethodPost || r.Method == http.MethodPut && !o.keys[key] {
		o.effects++
	}
	o.keys[key] = true
}

// of are the orders of a class.
func (s *shop) of(class string) map[string]order {
	s.mu.Lock()
	defer s.mu.Unlock()
	some := map[string]order{}
	for path, o := range s.orders {
		if strings.HasPrefix(path, "/"+class+"/") {
			some[path] = order{o.requests, o.effects, maps.Clone(o.keys)}
		}
	}
	return some
}

// done: the call took effect.
func (s *shop) done(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders[path] != nil && s.orders[path].effects > 0
}

// path is the order's that a call's arguments, a text, are about.
func (s *shop) path(t *testing.T, arguments json.RawMessage) string {
	t.Helper()
	var text string
	var a struct{ URL string }
	unmarshal(t, arguments, &text)
	unmarshal(t, json.RawMessage(text), &a)
	return strings.TrimPrefix(a.URL, s.URL)
}

// methods of the classes, as an agent's definition has them.
var methods = map[string]string{"read": http.MethodGet, "idempotent": http.MethodPut, "once": http.MethodPost}

// clerk is an agent that may send requests to the shop.
func (s *shop) clerk(timeout string) string {
	return fmt.Sprintf(`
tools:
  - name: http
    with:
      timeout: %s
      allow:
        - {host: 127.0.0.1, private: true, http: true, ports: [%s], methods: {GET: read, PUT: idempotent, POST: once}}
`, timeout, port(s.URL))
}
