package gateway

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

func TestAMessageInSmallFramesMayBeAsLargeAsAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ws, id := r.open()
		part := strings.Repeat("x", MaxFrame)
		r.frames(ws, part, part, part, part)
		if e := r.last(); len(e.Body) != MaxMessage || e.RequestContext.EventType != "MESSAGE" {
			t.Errorf("%s with %d bytes", e.RequestContext.EventType, len(e.Body))
		}
		r.post(id, "open", 200)
		if got := r.receive(ws); got != "open" {
			t.Error(got)
		}
	})
}

// frames sends one message in several frames; the last one is empty. It says
// whether all were taken.
func (r *rig) frames(ws *websocket.Conn, parts ...string) bool {
	w, err := ws.Writer(r.t.Context(), websocket.MessageText)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range parts {
		if _, err := io.WriteString(w, p); err != nil {
			return false
		}
	}
	return w.Close() == nil
}

func TestWhatAWSDoesNotTakeClosesTheConnection(t *testing.T) {
	part := strings.Repeat("x", MaxFrame)
	for name, c := range map[string]struct {
		send func(*rig, *websocket.Conn)
		want websocket.StatusCode
	}{
		"frame":    {func(r *rig, ws *websocket.Conn) { r.frames(ws, part+"x") }, 1009},
		"message":  {func(r *rig, ws *websocket.Conn) { r.frames(ws, part, part, part, part, "x") }, 1009},
		"binary":   {func(r *rig, ws *websocket.Conn) { ws.Write(r.t.Context(), websocket.MessageBinary, []byte("x")) }, 1003},
		"not text": {func(r *rig, ws *websocket.Conn) { ws.Write(r.t.Context(), websocket.MessageText, []byte("\xff")) }, 1007},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				ws, id := r.open()
				go c.send(r, ws)
				r.closed(ws, c.want, "")
				r.disconnected(int64(c.want), "")
				if n := len(r.events()); n != 2 {
					t.Errorf("%d events, want no message", n)
				}
				r.post(id, "x", 410)
			})
		})
	}
}

// Over TCP a socket that is closed with unread bytes is reset, and the client
// may never see why. The bytes must be taken in first.
func TestAClientOverTCPLearnsThatItsMessageIsTooLarge(t *testing.T) {
	told := make(chan string, 1)
	a, err := NewSocket(SocketOptions{
		Invoke: func(_ context.Context, key string, event []byte) ([]byte, error) {
			told <- string(event)
			return []byte(`{"statusCode":200}`), nil
		},
		Selection: "$request.body.type", Stage: "live", Routes: []string{"$disconnect"},
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(a)
	defer srv.Close()
	defer a.Close()
	for range 10 {
		ws, _, err := websocket.Dial(t.Context(), srv.URL+"/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		go ws.Write(t.Context(), websocket.MessageText, bytes.Repeat([]byte("x"), 8<<20))
		if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
			t.Errorf("the client saw %v", err)
		}
		ws.CloseNow()
		if event := <-told; !strings.Contains(event, `"disconnectStatusCode":1009`) {
			t.Error(event)
		}
	}
}

func TestDisconnectIsToldTheClientsReason(t *testing.T) {
	for name, c := range map[string]struct {
		close  func(*websocket.Conn)
		code   int64
		reason string
	}{
		"reason":    {func(ws *websocket.Conn) { ws.Close(4000, "bye") }, 4000, "bye"},
		"no reason": {func(ws *websocket.Conn) { ws.Close(1001, "") }, 1001, ""},
		"no status": {func(ws *websocket.Conn) { ws.Close(websocket.StatusNoStatusRcvd, "") }, 1005, "Client-side close frame status not set"},
		"vanished":  {func(ws *websocket.Conn) { ws.CloseNow() }, 1006, abnormal.told},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				ws, id := r.open()
				c.close(ws)
				r.disconnected(c.code, c.reason)
				r.post(id, "x", 410)
			})
		})
	}
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		began := time.Now()
		ws, id := r.open()
		r.closed(ws, 1001, "Going away")
		if d := time.Since(began); d != SocketIdle {
			t.Errorf("after %v", d)
		}
		r.disconnected(1001, "Going away")
		r.post(id, "x", 410)
	})
}

// Messages of either side put the end off, pings do not, and life ends in any case.
func TestOnlyMessagesKeepAConnectionOpen(t *testing.T) {
	for name, c := range map[string]struct {
		keep func(*rig, *websocket.Conn, string)
		want time.Duration
	}{
		"a message in":  {func(r *rig, ws *websocket.Conn, _ string) { r.send(ws, "x") }, SocketLife},
		"a message out": {func(r *rig, _ *websocket.Conn, id string) { r.post(id, "x", 200) }, SocketLife},
		"a ping":        {func(r *rig, ws *websocket.Conn, _ string) { ws.Ping(r.t.Context()) }, SocketIdle},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				began := time.Now()
				ws, id := r.open()
				ended := make(chan struct{})
				go func() {
					for tick := time.Tick(9 * time.Minute); ; {
						select {
						case <-tick:
							c.keep(r, ws, id)
						case <-ended:
							return
						}
					}
				}()
				r.closed(ws, 1001, "Going away")
				close(ended)
				if d := time.Since(began); d != c.want {
					t.Errorf("after %v, want %v", d, c.want)
				}
			})
		})
	}
}

// A client that neither answers a close frame nor goes away is cut off.
func TestAClientThatIgnoresACloseFrameIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		began := time.Now()
		_, id := r.open() // it does not read, so it takes no close frame either
		if w := r.manage("DELETE", id, ""); w.Code != 204 {
			t.Errorf("%d", w.Code)
		}
		synctest.Wait()
		time.Sleep(closeGrace)
		r.disconnected(1000, "Connection Closed Normally")
		if d := time.Since(began); d != closeGrace {
			t.Errorf("after %v", d)
		}
	})
}

func TestCloseEndsEveryConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, map[string]function{
			"say": func(ctx context.Context, _ *socketEvent) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
		})
		first, _ := r.open()
		second, id := r.open()
		r.send(first, `{"type":"say"}`)
		synctest.Wait()
		done := make(chan time.Duration)
		go func() {
			began := time.Now()
			r.api.Close()
			done <- time.Since(began)
		}()
		r.closed(first, 1001, "Going away")
		r.closed(second, 1001, "Going away")
		if d := <-done; d > closeGrace {
			t.Errorf("it took %v", d)
		}
		told := 0
		for _, e := range r.events() {
			if e.RequestContext.DisconnectStatusCode == 1001 {
				told++
			}
		}
		if told != 2 {
			t.Errorf("%d times $disconnect", told)
		}
		r.post(id, "x", 410)
		if _, res, err := r.dial("/live", nil); err == nil || res.StatusCode != 503 {
			t.Errorf("after Close: %v %v", res, err)
		}
		r.api.Close()
	})
}
