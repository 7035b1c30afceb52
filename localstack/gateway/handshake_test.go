package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

var ids = regexp.MustCompile(`"[\w-]{15}="`)

func TestEventsAreThoseOfAWS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ws, _, err := r.dial("/live?ticket=a%2Bb&x=1&x=%26", http.Header{
			"User-Agent": {"test/1"}, "Cookie": {"a=1"}, "X-Two": {"one", "two"},
			"X-Forwarded-For": {"10.0.0.1"}, "Origin": {"http://elsewhere.example"},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.send(ws, `{"type":"say","text":"<€>"}`)
		synctest.Wait()
		ws.Close(4001, "done")
		r.disconnected(4001, "done")
		for i, name := range []string{"connect", "message", "disconnect"} {
			event := ids.ReplaceAll(r.raw[i], []byte(`"ID"`))
			event = regexp.MustCompile(`"[A-Za-z0-9+/]{22}=="`).ReplaceAll(event, []byte(`"KEY"`))
			golden(t, "socket-"+name+".json", event)
		}
	})
}

func TestIDsLookLikeAWSs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, id := r.open()
		if !ids.MatchString(`"` + id + `"`) {
			t.Errorf("connection %q", id)
		}
	})
}

func TestConnectDecidesTheHandshake(t *testing.T) {
	answer := func(payload string, err error) function {
		return func(context.Context, *socketEvent) ([]byte, error) { return []byte(payload), err }
	}
	for name, c := range map[string]struct {
		f      function
		status int
	}{
		"refused":         {answer(`{"statusCode":401,"body":"x"}`, nil), 401},
		"forbidden":       {answer(`{"statusCode":403}`, nil), 403},
		"failed":          {answer("", errors.New("x")), 502},
		"no JSON":         {answer(`{`, nil), 502},
		"no status":       {answer(`{}`, nil), 502},
		"null":            {answer(`null`, nil), 502},
		"no final status": {answer(`{"statusCode":101}`, nil), 502},
		"no such status":  {answer(`{"statusCode":1000}`, nil), 502},
		"late":            {func(ctx context.Context, _ *socketEvent) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }, 502},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, map[string]function{"$connect": c.f})
				began := time.Now()
				_, res, err := r.dial("/live", nil)
				if err == nil || res == nil || res.StatusCode != c.status {
					t.Fatalf("%v %v, want %d", res, err, c.status)
				}
				id := r.last().RequestContext.ConnectionID
				if got := body(t, res); !strings.Contains(got, fmt.Sprintf(`{"message":%q,"connectionId":%q`, http.StatusText(c.status), id)) {
					t.Error(got)
				}
				if late := time.Since(began) == SocketTimeout; late != (name == "late") {
					t.Errorf("after %v", time.Since(began))
				}
				if n := len(r.events()); n != 1 {
					t.Errorf("%d events, want $connect alone", n)
				}
			})
		})
	}
}

func TestAConnectionOpensWithoutAConnectRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil, func(o *SocketOptions) { o.Routes = []string{"say"} })
		ws, _, err := r.dial("/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.send(ws, `{"type":"say"}`)
		if e := r.last(); e.RequestContext.RouteKey != "say" {
			t.Errorf("%v", e)
		}
		ws.Close(1000, "")
		if n := len(r.events()); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestAPostInsideConnectIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		r = newRig(t, map[string]function{"$connect": func(_ context.Context, e *socketEvent) ([]byte, error) {
			r.post(e.RequestContext.ConnectionID, "early", http.StatusGone)
			return []byte(`{"statusCode":200}`), nil
		}})
		ws, id := r.open()
		r.post(id, "open", http.StatusOK)
		if got := r.receive(ws); got != "open" {
			t.Error(got)
		}
	})
}

// From the end of $connect on there is a connection: what happens before the
// client is told of it must not be lost.
func TestWhatHappensBeforeThe101HappensAfterIt(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*rig, string)
		first  string
		code   websocket.StatusCode
		told   string
	}{
		"a post": {func(r *rig, id string) { r.post(id, "early", 200) }, "early", 1001, "Going away"},
		"a DELETE": {func(r *rig, id string) {
			r.post(id, "early", 200)
			r.manage("DELETE", id, "")
			r.post(id, "x", 410)
		}, "early", 1000, "Connection Closed Normally"},
		"Close": {func(r *rig, id string) {
			r.post(id, "dropped", 200)
			go r.api.Close()
			time.Sleep(time.Millisecond)
			r.post(id, "x", 410)
		}, "", 1001, "Going away"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				r.before101 = func() { c.before(r, r.last().RequestContext.ConnectionID) }
				ws, _, err := r.dial("/live", nil)
				if err != nil {
					t.Fatal(err)
				}
				defer ws.CloseNow()
				if c.first != "" {
					if got := r.receive(ws); got != c.first {
						t.Errorf("%q", got)
					}
				}
				_, _, err = ws.Read(t.Context())
				if websocket.CloseStatus(err) != c.code {
					t.Errorf("the client saw %v, want %d", err, c.code)
				}
				r.disconnected(int64(c.code), c.told)
			})
		})
	}
}

// A function that stored the connection must hear of its end even if the client
// did not wait for the answer.
func TestAClientThatLeavesDuringConnectIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, map[string]function{"$connect": func(context.Context, *socketEvent) ([]byte, error) {
			time.Sleep(time.Second)
			return []byte(`{"statusCode":200}`), nil
		}})
		conn, err := r.pipes.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, handshake); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		conn.Close()
		time.Sleep(2 * time.Second)
		r.disconnected(int64(abnormal.code), abnormal.told)
		r.post(r.last().RequestContext.ConnectionID, "x", http.StatusGone)
	})
}

func TestWhatIsNoHandshakeReachesNoFunction(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"other path":      {func(r *http.Request) { r.URL.Path = "/other" }, 403},
		"below the stage": {func(r *http.Request) { r.URL.Path = "/live/" }, 403},
		"no upgrade":      {func(r *http.Request) { r.Header.Del("Upgrade") }, 403},
		"no connection":   {func(r *http.Request) { r.Header.Set("Connection", "close") }, 403},
		"post":            {func(r *http.Request) { r.Method = "POST" }, 403},
		"version":         {func(r *http.Request) { r.Header.Set("Sec-WebSocket-Version", "8") }, 400},
		"no key":          {func(r *http.Request) { r.Header.Del("Sec-WebSocket-Key") }, 400},
		"short key":       {func(r *http.Request) { r.Header.Set("Sec-WebSocket-Key", "AAAA") }, 400},
		"two keys":        {func(r *http.Request) { r.Header.Add("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==") }, 400},
		"HTTP/1.0":        {func(r *http.Request) { r.ProtoMajor, r.ProtoMinor = 1, 0 }, 400},
		"long URL":        {func(r *http.Request) { r.RequestURI = "/live?" + strings.Repeat("x", MaxSocketURL) }, 414},
		"large headers":   {func(r *http.Request) { r.Header.Set("A", strings.Repeat("x", MaxHeaders)) }, 431},
		"query escape":    {func(r *http.Request) { r.URL.RawQuery = "a=%zz" }, 400},
		"query bytes":     {func(r *http.Request) { r.URL.RawQuery = "a=%ff" }, 400},
		"header bytes":    {func(r *http.Request) { r.Header.Set("A", "\xff") }, 400},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, nil)
				r := httptest.NewRequest("GET", "/live", nil)
				r.Header = http.Header{"Connection": {"keep-alive, Upgrade"}, "Upgrade": {"WebSocket"},
					"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}
				c.change(r)
				w := httptest.NewRecorder()
				g.api.ServeHTTP(w, r)
				if w.Code != c.want || !strings.Contains(w.Body.String(), http.StatusText(c.want)) {
					t.Errorf("%d %s, want %d", w.Code, w.Body, c.want)
				}
				if n := len(g.events()); n != 0 {
					t.Errorf("%d invocations", n)
				}
			})
		})
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.api.admitted = MaxSockets - 1
		ws, _ := r.open()
		if _, res, err := r.dial("/live", nil); err == nil || res.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%v %v", res, err)
		}
		ws.Close(websocket.StatusNormalClosure, "")
		synctest.Wait()
		r.open()
	})
}
