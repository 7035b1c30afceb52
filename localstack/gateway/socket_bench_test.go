package gateway

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// BenchmarkIdleSockets reports what an idle connection holds of this process's
// memory, heap and stack, and how many goroutines. Clients are bare sockets,
// whose own cost (about 400 bytes) is counted too.
func BenchmarkIdleSockets(b *testing.B) {
	a, err := NewSocket(SocketOptions{
		Invoke:    func(context.Context, string, []byte) ([]byte, error) { return []byte(`{"statusCode":200}`), nil },
		Selection: "$request.body.type", Stage: "live", Routes: everyRoute,
	})
	if err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(a)
	defer srv.Close()
	defer a.Close()
	const n = 1000
	for b.Loop() {
		before := resident()
		goroutines := runtime.NumGoroutine()
		clients := make([]net.Conn, n)
		for i := range clients {
			clients[i] = bare(b, srv.Listener.Addr().String())
		}
		after := resident()
		b.ReportMetric(float64(after-before)/n, "B/socket")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/n, "goroutines/socket")
		for _, c := range clients {
			c.Close()
		}
	}
}

func resident() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// bare opens a WebSocket without a client's buffers.
func bare(b *testing.B, addr string) net.Conn {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(conn, handshake); err != nil {
		b.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		b.Fatalf("%v %v", res, err)
	}
	return conn
}
