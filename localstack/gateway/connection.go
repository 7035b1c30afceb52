package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// maxInvocations is how many messages of one connection run at once; reading
// waits for the next place.
const maxInvocations = 16

// A connection is one client's. While nothing happens it is one goroutine, which
// reads, and one timer.
type connection struct {
	api         *SocketAPI
	id          string
	connectedAt time.Time // as events say it
	opened      time.Time // the same, by the clock that timers follow
	host        string
	source      string
	agent       string

	places chan struct{}

	active atomic.Int64 // when the last message passed, in nanoseconds after opened

	mu      sync.Mutex
	ws      *websocket.Conn // nil until the 101
	wire    *wire
	timer   *time.Timer
	queue   [][]byte // not yet written; its first is being written
	queued  int      // bytes in queue
	writing bool     // a goroutine writes the queue
	ending  bool     // closed once the queue is written
	why     *cause   // set once, when the connection closes
}

// A cause is why a connection closed: what the close frame says, where one is
// sent, and what $disconnect is told.
type cause struct {
	code   websocket.StatusCode
	reason string // of the close frame
	told   string // to $disconnect; reason if empty
}

var (
	// The texts for 1000 and 1005 are those that $disconnect gets on AWS
	// (aws/chalice#2060 and recorded events); 1001 is Going away.
	goingAway = cause{code: websocket.StatusGoingAway, reason: "Going away"}
	deleted   = cause{code: websocket.StatusNormalClosure, told: "Connection Closed Normally"}
	noStatus  = cause{code: websocket.StatusNoStatusRcvd, told: "Client-side close frame status not set"}
	abnormal  = cause{code: websocket.StatusAbnormalClosure, told: "Connection closed without a close frame"}

	tooLarge = cause{code: websocket.StatusMessageTooBig}
	// AWS takes no binary frames (developer guide, binary media types for
	// WebSocket APIs).
	binaryFrame = cause{code: websocket.StatusUnsupportedData}
	notText     = cause{code: websocket.StatusInvalidFramePayloadData}
	protocol    = cause{code: websocket.StatusProtocolError}
)

func (a *SocketAPI) newConnection(r *http.Request) *connection {
	source, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		source = r.RemoteAddr
	}
	return &connection{
		api: a, id: socketID(), connectedAt: a.Now().UTC(),
		host: r.Host, source: source, agent: r.UserAgent(), opened: time.Now(),
		places: make(chan struct{}, maxInvocations),
	}
}

// socketID looks like AWS's ids of connections, requests and messages: 16
// characters of URL-safe base64 that end with =.
func socketID() string { return base64.URLEncoding.EncodeToString(random(11)) }

// serve is the connection's goroutine.
func (c *connection) serve() {
	c.shut(c.read())
	c.finish()
}

// read takes messages until there can be no more, and says why.
func (c *connection) read() cause {
	for {
		kind, text, err := c.ws.Read(context.Background())
		switch {
		case err != nil:
			return lost(err)
		case kind != websocket.MessageText:
			return binaryFrame
		case !utf8.Valid(text):
			return notText
		}
		c.touch()
		c.places <- struct{}{}
		c.api.tasks.Go(func() {
			defer func() { <-c.places }()
			c.route(text)
		})
	}
}

// lost says why a read failed.
func lost(err error) cause {
	var sent websocket.CloseError
	var broken *net.OpError
	switch {
	case errors.As(err, &sent) && sent.Code == noStatus.code:
		return noStatus
	case errors.As(err, &sent):
		return cause{code: sent.Code, reason: sent.Reason}
	case errors.Is(err, errTooLarge):
		return tooLarge
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe),
		errors.Is(err, net.ErrClosed), errors.As(err, &broken):
		return abnormal
	}
	return protocol
}

// finish tells $disconnect, once: it runs after serve, or instead of it.
func (c *connection) finish() {
	defer c.api.leave()
	event := c.disconnectEvent()
	c.api.Log.Debug("a socket closed", "connectionId", c.id, "code", event.RequestContext.DisconnectStatusCode)
	if c.api.routes[disconnectRoute] {
		_, _ = c.api.run(disconnectRoute, event) // nobody is left to hear of a failure
	}
}
