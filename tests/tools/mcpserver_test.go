package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// example is one of the official SDK's own servers, a process over streamable HTTP.
type example struct {
	t       *testing.T
	binary  string
	addr    string
	process *exec.Cmd
}

// examples is where the SDK keeps them. They are built from the module that go.mod names.
const examples = "github.com/modelcontextprotocol/go-sdk/examples/server/"

// newExample builds a server and chooses where it listens; it is not started yet.
func newExample(t *testing.T, name string) *example {
	t.Helper()
	e := &example{t: t, binary: filepath.Join(t.TempDir(), name), addr: free(t)}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", e.binary, examples+name).CombinedOutput(); err != nil {
		t.Fatalf("build the SDK's server %s: %v\n%s", name, err, out)
	}
	t.Cleanup(e.stop)
	return e
}

// free is an address that nobody listens at.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts the server and waits until it listens.
func (e *example) start(ctx context.Context) {
	e.t.Helper()
	e.process = exec.Command(e.binary, "-http", e.addr)
	if err := e.process.Start(); err != nil {
		e.t.Fatal(err)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := net.Dial("tcp", e.addr); err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			e.t.Fatalf("%s does not listen at %s", e.binary, e.addr)
		}
	}
}

func (e *example) stop() {
	if e.process != nil {
		_ = e.process.Process.Kill()
		_ = e.process.Wait()
		e.process = nil
	}
}

// tap stands between the stack and a server, counts the calls of tools, and has the process
// killed in one of them.
type tap struct {
	*httptest.Server
	deaths
	proxy *httputil.ReverseProxy

	mu    sync.Mutex
	calls map[string]int
	plans map[string]moment
}

func newTap(t *testing.T, addr string) *tap {
	t.Helper()
	p := &tap{deaths: make(deaths), calls: map[string]int{}, plans: map[string]moment{}}
	p.proxy = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	p.proxy.FlushInterval = -1
	p.proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) } // as if nobody listened
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal(body, &m) // a GET has none
	now := never
	if m.Method == "tools/call" {
		now = p.count(m.Params.Name)
	}
	switch now {
	case never:
		p.proxy.ServeHTTP(w, r)
		return
	case after:
		p.proxy.ServeHTTP(httptest.NewRecorder(), r)
	}
	p.deaths.wait(r.Context())
	panic(http.ErrAbortHandler)
}

// count counts a call, and says when the process is killed in it: in its first time only.
func (p *tap) count(name string) moment {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[name]++; p.calls[name] > 1 {
		return never
	}
	return p.plans[name]
}

func (p *tap) called(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[name]
}
