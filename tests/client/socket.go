package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
)

// Frame is any frame of the server's; members that its type has not are zero.
type Frame struct {
	V                                             int
	Type, ID, Session, OperationID, Code, Message string
	From, To, Seq, Head, AsOfSeq                  uint64
	Events                                        []Event
	Heads                                         map[string]uint64
	Receipt                                       *Receipt
	Operations                                    []Operation
	Resume                                        []struct {
		Session, OperationID string
		Head                 uint64
	}
	Retryable bool
	// Of a preview.
	Round, Attempt, Run, Offset int
	Kind, Text                  string
	// Raw is the frame as it came.
	Raw json.RawMessage `json:"-"`
}

// Ticket opens one socket.
type Ticket struct{ Ticket, URL, ExpiresAt string }

// Ticket takes a ticket, for one session or, if that is empty, for all.
func (c Client) Ticket(ctx context.Context, session string) (t Ticket, err error) {
	body := map[string]string{}
	if session != "" {
		body["session"] = session
	}
	_, err = c.Do(ctx, http.MethodPost, "/v1/tickets", body, &t)
	return t, err
}

// Socket is an open WebSocket.
type Socket struct{ conn *websocket.Conn }

// Dial takes a ticket and opens its socket.
func (c Client) Dial(ctx context.Context, session string) (*Socket, error) {
	t, err := c.Ticket(ctx, session)
	if err != nil {
		return nil, err
	}
	s, _, err := Open(ctx, t.URL)
	return s, err
}

// Open opens a socket at a ticket's URL; the status is the handshake's.
func Open(ctx context.Context, url string) (*Socket, int, error) {
	conn, res, err := websocket.Dial(ctx, url, nil)
	status := 0
	if res != nil {
		status = res.StatusCode
	}
	if err != nil {
		return nil, status, err
	}
	conn.SetReadLimit(1 << 20)
	return &Socket{conn}, status, nil
}

// Send sends a frame; v is added.
func (s *Socket) Send(ctx context.Context, frame map[string]any) error {
	frame["v"] = 1
	b, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return s.SendRaw(ctx, b)
}

// SendRaw sends a message.
func (s *Socket) SendRaw(ctx context.Context, b []byte) error {
	return s.conn.Write(ctx, websocket.MessageText, b)
}

// Subscribe asks for a session's events after a seq; of one operation, if named.
func (s *Socket) Subscribe(ctx context.Context, session, operation string, after uint64) error {
	f := map[string]any{"type": "subscribe", "session": session, "after": after}
	if operation != "" {
		f["operationId"] = operation
	}
	return s.Send(ctx, f)
}

// Next reads a frame.
func (s *Socket) Next(ctx context.Context) (f Frame, err error) {
	kind, b, err := s.conn.Read(ctx)
	if err != nil {
		return f, err
	}
	if kind != websocket.MessageText {
		return f, fmt.Errorf("a frame is not text: %q", b)
	}
	f.Raw = b
	if err := json.Unmarshal(b, &f); err != nil {
		return f, fmt.Errorf("%w: %.200s", err, b)
	}
	return f, nil
}

// Until reads frames until one is of a type, and returns it.
func (s *Socket) Until(ctx context.Context, kind string) (Frame, error) {
	for {
		f, err := s.Next(ctx)
		if err != nil || f.Type == kind {
			return f, err
		}
	}
}

// Kill drops the connection without a word.
func (s *Socket) Kill() { _ = s.conn.CloseNow() }

// Close closes it as the protocol says.
func (s *Socket) Close() { _ = s.conn.Close(websocket.StatusNormalClosure, "") }
