package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"windlass/tests/client"
)

func TestAFrameThatIsRefusedCostsNoSocket(t *testing.T) {
	ctx, l := open(t)
	s := session()
	put(ctx, t, l.Client, s, "/a")
	socket := dial(ctx, t, l.Client)
	for _, c := range []struct{ frame, code string }{
		{`{"v":1,"type":"dance","id":"x"}`, "unknown_type"},
		{`{"v":1,"id":"x"}`, "unknown_type"},
		{`{"v":2,"type":"ping","id":"x"}`, "invalid_request"},
		{`{"v":1,"type":"ping","id":"x","sesion":"s"}`, "invalid_request"},
		{`{"v":1,"type":"ping","id":7}`, "invalid_request"},
		{`["ping"]`, "invalid_request"},
		{`ping`, "invalid_request"},
		{``, "invalid_request"},
		{`{"v":1,"type":"subscribe","id":"x","session":"` + s + `"}`, "invalid_request"},
		{`{"v":1,"type":"subscribe","id":"x","session":"` + s + `","after":-1}`, "invalid_request"},
		{`{"v":1,"type":"subscribe","id":"x","session":"` + s + `","after":99}`, "invalid_request"},
		{`{"v":1,"type":"subscribe","id":"x","session":"` + s + `-no","after":0}`, "not_found"},
		{`{"v":1,"type":"subscribe","id":"x","session":"` + s + `","operationId":"no","after":0}`, "not_found"},
		{`{"v":1,"type":"subscribe","id":"x","session":"a/b","after":0}`, "not_found"},
		{`{"v":1,"type":"snapshot","id":"x","session":"` + s + `-no"}`, "not_found"},
		{`{"v":1,"type":"submit","id":"x","session":"` + s + `","prompt":" "}`, "empty_prompt"},
		{`{"v":1,"type":"submit","id":"x","session":"` + s + `","prompt":"x","agent":"nobody"}`, "unknown_agent"},
		{`{"v":1,"type":"submit","id":"x","session":"` + s + `","prompt":"x","operationId":"a/b"}`, "invalid_request"},
	} {
		if err := socket.SendRaw(ctx, []byte(c.frame)); err != nil {
			t.Fatalf("%s: %v", c.frame, err)
		}
		f, err := socket.Until(ctx, "error") // a frame of the first file may come late
		if err != nil {
			t.Fatalf("%s: %v", c.frame, err)
		}
		if want := map[bool]string{true: "x"}[strings.Contains(c.frame, `"id":"x"`)]; f.ID != want {
			t.Errorf("%s: the answer's id is %q", c.frame, f.ID)
		}
		if refused(t, f, c.code); f.Retryable {
			t.Errorf("%s: %s", c.frame, f.Raw)
		}
	}
	if f, _ := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "after": 0}); f.Type != "caught_up" || f.Head != 2 {
		t.Errorf("after all of them: %s", f.Raw)
	}
}

// refused expects an error frame of this code.
func refused(t *testing.T, f client.Frame, code string) {
	t.Helper()
	if f.Type != "error" || f.Code != code || f.Message == "" {
		t.Errorf("got %.500s, want the error %s", f.Raw, code)
	}
}

func TestASocketHas32Subscriptions(t *testing.T) {
	ctx, l := open(t)
	socket := dial(ctx, t, l.Client)
	s := session()
	subscribe := func(i int) client.Frame {
		t.Helper()
		name := fmt.Sprint(s, "-", i)
		put(ctx, t, l.Client, name, "/a")
		f, _ := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": name, "after": 0})
		return f
	}
	for i := range 32 {
		if f := subscribe(i); f.Type != "caught_up" {
			t.Fatalf("%d: %s", i+1, f.Raw)
		}
	}
	refused(t, subscribe(32), "too_many_subscriptions")
	if f := subscribe(0); f.Type != "caught_up" {
		t.Errorf("one that there is: %s", f.Raw)
	}
	request(ctx, t, socket, map[string]any{"type": "unsubscribe", "session": s + "-1"})
	if f := subscribe(33); f.Type != "caught_up" {
		t.Errorf("in the place of another: %s", f.Raw)
	}
}

func TestAFrameOver32KBClosesWith1009(t *testing.T) {
	ctx, l := open(t)
	s := session()
	submit := func(bytes int) *client.Socket {
		t.Helper()
		socket := dial(ctx, t, l.Client)
		frame := `{"v":1,"type":"submit","id":"x","session":"` + s + `","prompt":"`
		frame += strings.Repeat("x", bytes-len(frame)-2) + `"}`
		if err := socket.SendRaw(ctx, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		return socket
	}
	if f, err := submit(32 << 10).Next(ctx); err != nil || f.Receipt == nil || !f.Receipt.Accepted {
		t.Errorf("32 KB: %s, %v", f.Raw, err)
	}
	if f, err := submit(32<<10 + 1).Next(ctx); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("one byte more: %s, %v", f.Raw, err)
	}
	if all, err := l.Operations(ctx, s, 50); err != nil || len(all) != 1 {
		t.Errorf("%d operations, %v", len(all), err)
	}
}
