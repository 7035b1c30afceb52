package gateway

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
)

// Buffers of a connection: small, because most connections idle and messages
// are mostly small; larger ones pass them by.
const (
	readBuffer  = 1 << 10
	writeBuffer = 512
)

// A wire is a client's connection whose frames are metered on their way in.
type wire struct {
	net.Conn
	early []byte // what the client sent before the handshake was answered
	meter meter
	err   error // of the meter, not yet returned
	over  bool  // err was returned
}

// Read returns the meter's error by itself, after the bytes before it: a reader
// that wanted no more than those would drop it. Afterwards it throws away what
// comes, so that the client can take in its close frame: a socket closed with
// unread bytes would be reset.
func (w *wire) Read(p []byte) (int, error) {
	for {
		if w.err != nil && !w.over {
			w.over = true
			return 0, w.err
		}
		n, err := w.next(p)
		if w.over {
			if err != nil {
				return 0, err
			}
			continue
		}
		if n, w.err = w.meter.pass(p[:n]); n > 0 || err != nil {
			return n, err
		}
	}
}

func (w *wire) next(p []byte) (int, error) {
	if len(w.early) == 0 {
		return w.Conn.Read(p)
	}
	n := copy(p, w.early)
	if w.early = w.early[n:]; len(w.early) == 0 {
		w.early = nil
	}
	return n, nil
}

// A hijacker hands out a metered connection with small buffers.
type hijacker struct {
	http.ResponseWriter
	wire *wire
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, err := rw.Reader.Peek(rw.Reader.Buffered())
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	h.wire = &wire{Conn: conn, early: bytes.Clone(early)}
	return h.wire, bufio.NewReadWriter(bufio.NewReaderSize(h.wire, readBuffer), bufio.NewWriterSize(h.wire, writeBuffer)), nil
}
