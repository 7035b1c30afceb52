package sockets

import (
	"context"
	"testing"
	"time"

	"github.com/coder/websocket"

	"windlass/tests/client"
)

// counted counts the frames of one type that a follower is shown.
func counted(kind string, each chan<- client.Frame) func(*client.Socket, client.Frame) {
	return func(_ *client.Socket, f client.Frame) {
		if f.Type == kind {
			each <- f
		}
	}
}

// The server closes each connection after a second, and says so before: the turn
// takes longer than four of them.
func TestAClosingSaysWhereToGoOn(t *testing.T) {
	ctx, d := start(t, "WINDLASS_SOCKET_LIFE=1s")
	submit(ctx, t, d.Client(), "s", "op", load(110, 2, 64, 40))
	closings := make(chan client.Frame, 1000)
	f := follow(ctx, client.Follower{Client: d.Client, Session: "s", Quiet: calm, Frame: counted("closing", closings)}, completed("op"))
	f.wait(ctx, t)
	f.came(t)
	if n := len(closings); n < 2 {
		t.Errorf("%d closings", n)
	}
	for len(closings) > 0 {
		if c := <-closings; c.Code != "lifetime" || len(c.Resume) != 1 || c.Resume[0].Session != "s" || c.Resume[0].OperationID != "" || c.Resume[0].Head == 0 {
			t.Errorf("%s", c.Raw)
		}
	}
}

// What a client says is where the server notices, too; the close is a normal one.
func TestAFrameAfterTheLifeIsAnsweredByAClosing(t *testing.T) {
	ctx, d := start(t, "WINDLASS_SOCKET_LIFE=1s")
	put(ctx, t, d.Client(), "s", "/a")
	s := dial(ctx, t, d.Client())
	if err := s.Subscribe(ctx, "s", "", 0); err != nil {
		t.Fatal(err)
	}
	f := pinged(ctx, t, s, "closing")
	if f.Code != "lifetime" || len(f.Resume) != 1 || f.Resume[0].Session != "s" || f.Resume[0].Head != 2 {
		t.Errorf("%s", f.Raw)
	}
	if status := closed(ctx, s); status != websocket.StatusNormalClosure {
		t.Errorf("closed with %d", status)
	}
}

func dial(ctx context.Context, t *testing.T, c client.Client) *client.Socket {
	t.Helper()
	s, err := c.Dial(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// pinged pings until it is answered by a frame of this type, or by the end of the
// socket.
func pinged(ctx context.Context, t *testing.T, s *client.Socket, kind string) client.Frame {
	t.Helper()
	for {
		if err := s.Send(ctx, map[string]any{"type": "ping"}); err != nil {
			return client.Frame{}
		}
		for answered := false; !answered; {
			f, err := s.Next(ctx)
			if err != nil || f.Type == kind {
				return f
			}
			answered = f.Type == "pong"
		}
	}
}

// closed reads to the end of a socket, and returns its code.
func closed(ctx context.Context, s *client.Socket) websocket.StatusCode {
	for {
		if _, err := s.Next(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// The gateway's own ends come without a word before them.
func TestTheGatewayClosesWithoutAWord(t *testing.T) {
	for name, c := range map[string]struct {
		env, prompt string
		calm        bool // it mostly is connected when something happens
	}{
		"after a time in all":          {"WINDLASS_LOCAL_SOCKET_LIFE=500ms", load(60, 2, 64, 40), true},
		"after a time with no message": {"WINDLASS_LOCAL_SOCKET_IDLE=200ms", load(3, 2, 64, 700), false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, d := start(t, c.env)
			submit(ctx, t, d.Client(), "s", "op", c.prompt)
			opened := make(chan client.Frame, 1000)
			f := follow(ctx, client.Follower{Client: d.Client, Session: "s", Quiet: time.Hour, Frame: counted("caught_up", opened)}, completed("op"))
			idle := dial(ctx, t, d.Client())
			if err := idle.Subscribe(ctx, "s", "", 0); err != nil {
				t.Fatal(err)
			}
			if status := closed(ctx, idle); status != websocket.StatusGoingAway {
				t.Errorf("closed with %d", status)
			}
			f.wait(ctx, t)
			if c.calm {
				f.came(t)
			}
			if n := len(opened); n < 3 {
				t.Errorf("the follower subscribed %d times", n)
			}
		})
	}
}
