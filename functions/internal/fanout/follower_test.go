package fanout_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"windlass/tests/client"
)

// A follower wants the session's events, or one operation's.
type follower struct {
	operation string
	cursor    client.Cursor
	got       []client.Event

	connected string
	inbox     [][]byte
	asked     bool   // a subscribe is on its way
	following bool   // one was answered, on this connection
	head      uint64 // the highest that it heard of
}

func (w *world) send(f *follower, kind string, more string) {
	id, body := f.connected, fmt.Sprintf(`{"v":1,"type":%q%s}`, kind, more)
	w.task(kind+" "+id, func() {
		_, err := w.api.Lambda()(context.Background(), events.APIGatewayWebsocketProxyRequest{Body: body, RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: id, EventType: "MESSAGE"}})
		if err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) connect(f *follower) {
	w.opened++
	id := fmt.Sprint("c", w.opened)
	_, err := w.api.Lambda()(context.Background(), events.APIGatewayWebsocketProxyRequest{RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: id, EventType: "CONNECT"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.open[id], f.connected, f.inbox, f.asked, f.following = f, id, nil, false, false
}

func (w *world) subscribe(f *follower) {
	more := fmt.Sprintf(`,"session":"s","after":%d`, f.cursor.At)
	if f.operation != "" {
		more += fmt.Sprintf(`,"operationId":%q`, f.operation)
	}
	f.asked = true
	w.send(f, "subscribe", more)
}

// read takes the next frame.
func (w *world) read(f *follower) {
	if len(f.inbox) == 0 {
		return
	}
	var frame client.Frame
	if err := json.Unmarshal(f.inbox[0], &frame); err != nil {
		w.t.Fatalf("%v: %s", err, f.inbox[0])
	}
	f.inbox = f.inbox[1:]
	switch frame.Type {
	case "events":
		f.got = append(f.got, f.cursor.Take(frame)...)
	case "caught_up":
		f.asked, f.following, f.head = false, true, max(f.head, frame.Head)
	case "pong":
		f.head = max(f.head, frame.Heads["s"])
	case "error":
		f.asked, f.following = false, false
	default:
		w.t.Fatalf("%+v", frame)
	}
}

// behind: it follows nothing yet, or knows that something is missing.
func (f *follower) behind() bool { return !f.following || f.cursor.Gap() || f.head > f.cursor.At }
