package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"
)

type (
	socketEvent = events.APIGatewayWebsocketProxyRequest
	function    = func(context.Context, *socketEvent) ([]byte, error)
)

// A rig is a WebSocket API in a synctest bubble: its server's connections are
// pipes, which hold nothing, so that a client that does not read blocks a write.
type rig struct {
	t         *testing.T
	api       *SocketAPI
	pipes     pipes
	functions map[string]function
	before101 func() // runs when $connect has let a client in

	mu  sync.Mutex
	raw [][]byte // the events, in the order of their invocations
}

var everyRoute = []string{"$connect", "$disconnect", "$default", "say"}

func newRig(t *testing.T, functions map[string]function, change ...func(*SocketOptions)) *rig {
	t.Helper()
	r := &rig{t: t, functions: functions, pipes: pipes{make(chan net.Conn), make(chan struct{})}}
	o := SocketOptions{
		Invoke: r.invoke, Routes: everyRoute, Selection: "$request.body.type",
		APIID: "windlass-socket", Stage: "live", Account: "000000000000",
		Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2026, 11, 30, 5, 6, 7, 8e6, time.UTC) },
	}
	for _, f := range change {
		f(&o)
	}
	var err error
	if r.api, err = NewSocket(o); err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.api.ServeHTTP(delayed{w, r}, req)
	})}
	go server.Serve(r.pipes)
	t.Cleanup(func() { r.api.Close(); server.Close() })
	return r
}

type delayed struct {
	http.ResponseWriter
	rig *rig
}

func (d delayed) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if d.rig.before101 != nil {
		d.rig.before101()
	}
	return http.NewResponseController(d.ResponseWriter).Hijack()
}

func (r *rig) invoke(ctx context.Context, key string, event []byte) ([]byte, error) {
	var e socketEvent
	if err := json.Unmarshal(event, &e); err != nil || e.RequestContext.RouteKey != key {
		r.t.Errorf("route %s has the event %s: %v", key, event, err)
	}
	r.mu.Lock()
	r.raw = append(r.raw, event)
	r.mu.Unlock()
	if f := r.functions[key]; f != nil {
		return f(ctx, &e)
	}
	return []byte(`{"statusCode":200}`), nil
}

// events are those so far, once everything rests.
func (r *rig) events() []*socketEvent {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*socketEvent, len(r.raw))
	for i, raw := range r.raw {
		all[i] = new(socketEvent)
		if err := json.Unmarshal(raw, all[i]); err != nil {
			r.t.Fatal(err)
		}
	}
	return all
}

func (r *rig) last() *socketEvent {
	r.t.Helper()
	all := r.events()
	if len(all) == 0 {
		r.t.Fatal("nothing was invoked")
	}
	return all[len(all)-1]
}

func (r *rig) dial(target string, h http.Header) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(r.t.Context(), "ws://localhost:8787"+target, &websocket.DialOptions{
		HTTPHeader: h,
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: r.pipes.dial, DisableKeepAlives: true}},
	})
}

// open connects a client and returns its id.
func (r *rig) open() (*websocket.Conn, string) {
	r.t.Helper()
	ws, _, err := r.dial("/live", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { ws.CloseNow() })
	ws.SetReadLimit(MaxMessage)
	return ws, r.last().RequestContext.ConnectionID
}

// manage calls the @connections API.
func (r *rig) manage(method, id, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.api.Connections().ServeHTTP(w, httptest.NewRequest(method, "/live/@connections/"+strings.ReplaceAll(id, "=", "%3D"), strings.NewReader(body)))
	return w
}

func (r *rig) post(id, body string, want int) {
	r.t.Helper()
	if w := r.manage("POST", id, body); w.Code != want {
		r.t.Errorf("post: %d %s, want %d", w.Code, w.Body, want)
	}
}

func (r *rig) send(ws *websocket.Conn, text string) {
	r.t.Helper()
	if err := ws.Write(r.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) receive(ws *websocket.Conn) string {
	r.t.Helper()
	kind, text, err := ws.Read(r.t.Context())
	if err != nil || kind != websocket.MessageText {
		r.t.Errorf("read %v: %v", kind, err)
	}
	return string(text)
}

// closed reads the close frame, with whatever comes before it.
func (r *rig) closed(ws *websocket.Conn, code websocket.StatusCode, reason string) {
	r.t.Helper()
	for {
		_, _, err := ws.Read(r.t.Context())
		if err == nil {
			continue
		}
		var frame websocket.CloseError
		if !errors.As(err, &frame) || frame.Code != code || frame.Reason != reason {
			r.t.Errorf("the client saw %v, want %d %q", err, code, reason)
		}
		return
	}
}

// disconnected checks that $disconnect was told this, once.
func (r *rig) disconnected(code int64, reason string) {
	r.t.Helper()
	n := 0
	for _, e := range r.events() {
		if c := e.RequestContext; c.EventType == "DISCONNECT" {
			n++
			if w := r.manage("GET", c.ConnectionID, ""); w.Code != http.StatusGone {
				r.t.Errorf("the connection still answers %d", w.Code)
			}
			if c.DisconnectStatusCode != code || *c.DisconnectReason != reason {
				r.t.Errorf("$disconnect was told %d %q, want %d %q", c.DisconnectStatusCode, *c.DisconnectReason, code, reason)
			}
		}
	}
	if n != 1 {
		r.t.Errorf("%d times $disconnect, want 1", n)
	}
}

// pipes are a listener in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- local{server}:
		return client, nil
	case <-p.closed:
		return nil, io.ErrClosedPipe
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	close(p.closed)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8787} }

type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711} }

func TestWhatIsNotModelledIsRefused(t *testing.T) {
	valid := SocketOptions{
		Invoke:    func(context.Context, string, []byte) ([]byte, error) { return nil, nil },
		Selection: "$request.body.type", Stage: "live", Routes: everyRoute,
	}
	if _, err := NewSocket(valid); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*SocketOptions){
		"no function":        func(o *SocketOptions) { o.Invoke = nil },
		"no selection":       func(o *SocketOptions) { o.Selection = "" },
		"braces":             func(o *SocketOptions) { o.Selection = "${request.body.type}" },
		"nested member":      func(o *SocketOptions) { o.Selection = "$request.body.a.b" },
		"header selection":   func(o *SocketOptions) { o.Selection = "$request.header.type" },
		"no stage":           func(o *SocketOptions) { o.Stage = "" },
		"default stage":      func(o *SocketOptions) { o.Stage = "$default" },
		"unknown own route":  func(o *SocketOptions) { o.Routes = []string{"$ping"} },
		"empty route":        func(o *SocketOptions) { o.Routes = []string{""} },
		"route stands twice": func(o *SocketOptions) { o.Routes = []string{"a", "a"} },
		"negative time":      func(o *SocketOptions) { o.Idle = -1 },
	} {
		o := valid
		change(&o)
		if _, err := NewSocket(o); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
