package gateway

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// After its error a wire takes in what comes, and says nothing until the client
// has gone: a client that is still sending must be able to read its close frame.
func TestAWireTakesInWhatFollowsItsError(t *testing.T) {
	client, server := net.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := client.Write(slices.Concat(frame(fin|text, 3), frame(fin|text, 3*MaxFrame)))
		client.Close()
		sent <- err
	}()
	w := &wire{Conn: server}
	good, err := io.ReadAll(w)
	if !errors.Is(err, errTooLarge) || len(good) != 9+10 {
		t.Errorf("%d bytes, then %v", len(good), err)
	}
	if n, err := w.Read(make([]byte, 10)); n != 0 || err != io.EOF {
		t.Errorf("afterwards %d bytes and %v", n, err)
	}
	if err := <-sent; err != nil {
		t.Errorf("the client could not send: %v", err)
	}
}

const handshake = "GET /live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// rawly sends bytes right behind the handshake and returns what the server
// answers behind its own.
func (r *rig) rawly(frames ...[]byte) string {
	r.t.Helper()
	conn, err := r.pipes.dial(r.t.Context(), "", "")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	go conn.Write(slices.Concat(append([][]byte{[]byte(handshake)}, frames...)...))
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	answer, _ := io.ReadAll(conn)
	_, behind, ok := strings.Cut(string(answer), "\r\n\r\n")
	if !ok {
		r.t.Fatalf("no handshake: %q", answer)
	}
	return behind
}

// A client may send on before its handshake is answered. Those bytes are metered
// and served like all others.
func TestFramesBehindTheHandshakeAreFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		if got := r.rawly(frame(fin|text, 5)); got != "" {
			t.Errorf("%q", got)
		}
		if e := r.events()[1]; e.Body != "\x00\x00\x00\x00\x00" {
			t.Errorf("body %q", e.Body)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		if got := r.rawly(frame(fin|text, MaxFrame+1)); got != "\x88\x02\x03\xf1" {
			t.Errorf("%q, want a close frame with 1009", got)
		}
		r.disconnected(1009, "")
	})
}

func TestBrokenFramesCloseTheConnection(t *testing.T) {
	for name, frames := range map[string][]byte{
		"unmasked":              {fin | text, unmasked | 1, 'x'},
		"nothing to continue":   frame(fin|more, 1),
		"reserved bit":          frame(0x40|fin|text, 1),
		"no such opcode":        frame(fin|3, 1),
		"large control frame":   frame(ping, 126),
		"a message in another":  slices.Concat(frame(text, 1), frame(fin|text, 1)),
		"control frame in part": frame(0x09, 0),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				if got := r.rawly(frames); len(got) < 4 || got[0] != '\x88' || got[2:4] != "\x03\xea" {
					t.Errorf("%q, want a close frame with 1002", got)
				}
				r.disconnected(1002, "")
			})
		})
	}
}
