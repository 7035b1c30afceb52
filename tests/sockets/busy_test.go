package sockets

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"windlass/tests/client"
)

// A session goes on without pause while a subscribe is not answered: its live frames
// are no answer, so the follower asks again.
func TestABusySessionHidesNoUnansweredSubscribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		serve(t, func(conn *websocket.Conn) {
			if err := busy(ctx, conn); err != nil {
				cancel(err)
			}
		})
		var seen []uint64
		f := client.Follower{Session: "s", Client: func() client.Client { return client.Client{URL: "http://windlass.test"} }}
		f.See = func(e client.Event, _ []byte) error {
			if seen = append(seen, e.Seq); e.Seq == missed+1 {
				return errEnough
			}
			return nil
		}
		if err := f.Run(ctx); !errors.Is(err, errEnough) {
			t.Fatalf("%v: %v", err, context.Cause(ctx))
		}
		if fmt.Sprint(seen) != "[1 2 3 4 5]" || f.Live() != 0 {
			t.Errorf("the follower saw %v, %d of them live", seen, f.Live())
		}
	})
}

// missed is how many events come only to who asks.
const missed = 4

// busy sends a frame each 50 ms, and answers the second subscribe alone.
func busy(ctx context.Context, conn *websocket.Conn) error {
	subscribes := make(chan string, 2)
	go func() {
		for {
			var f struct{ Type, ID string }
			if wsjson.Read(ctx, conn, &f) != nil {
				return
			}
			if f.Type == "subscribe" {
				subscribes <- f.ID
			}
		}
	}()
	<-subscribes
	for seq := missed + 1; seq < 200; seq++ {
		select {
		case id := <-subscribes:
			caughtUp := map[string]any{"v": 1, "type": "caught_up", "id": id, "session": "s", "seq": seq - 1, "head": seq - 1}
			return errors.Join(wsjson.Write(ctx, conn, covering(1, seq-1)), wsjson.Write(ctx, conn, caughtUp))
		case <-time.After(50 * time.Millisecond):
		}
		if err := wsjson.Write(ctx, conn, covering(seq, seq)); err != nil {
			return err
		}
	}
	return errors.New("ten seconds went by without a second subscribe")
}

func covering(from, to int) map[string]any {
	var events []map[string]any
	for seq := from; seq <= to; seq++ {
		events = append(events, map[string]any{"seq": seq, "type": "t", "v": 1})
	}
	return map[string]any{"v": 1, "type": "events", "session": "s", "from": from, "to": to, "events": events}
}

// serve takes the place of every server: it gives tickets, and one socket each.
// Connections are pipes, so that the test's clock is theirs.
func serve(t *testing.T, socket func(*websocket.Conn)) {
	t.Helper()
	l := pipes{make(chan net.Conn), make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/tickets", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"url":"ws://windlass.test/live"}`)
	})
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, r *http.Request) {
		if conn, err := websocket.Accept(w, r, nil); err == nil {
			socket(conn)
			_ = conn.CloseNow()
		}
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(l) }()
	before, transport := http.DefaultTransport, &http.Transport{DialContext: l.dial}
	http.DefaultTransport = transport
	t.Cleanup(func() {
		http.DefaultTransport = before
		transport.CloseIdleConnections()
		_ = server.Close()
	})
}

// pipes is a listener in memory.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
}

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.over); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
