package gateway

import (
	"time"

	"github.com/coder/websocket"
)

// closeGrace is how long a client may take to answer a close frame, and how long
// Close waits for functions.
const closeGrace = time.Second

// start begins the watch over the connection's time and the writing of what was
// queued before its 101, or ends it if it was closed by then.
func (c *connection) start(ws *websocket.Conn, w *wire) {
	c.mu.Lock()
	c.ws, c.wire = ws, w
	closed := c.why
	if closed == nil {
		c.timer = time.AfterFunc(c.left(), c.watch)
		c.write()
	}
	c.mu.Unlock()
	if closed != nil {
		c.farewell(*closed)
	}
}

// left is how long the connection may go on without another message.
func (c *connection) left() time.Duration {
	return min(time.Duration(c.active.Load())+c.api.Idle, c.api.Life) - time.Since(c.opened)
}

// touch notes a message, of either side (subscriptionless#3). Pings are none: AWS
// does not say that they count, so nothing here may lean on it.
func (c *connection) touch() { c.active.Store(int64(time.Since(c.opened))) }

// watch runs when the connection's time may be over, and otherwise waits for the
// next such moment. So a message costs no timer.
func (c *connection) watch() {
	left := c.left()
	if left <= 0 {
		c.shut(goingAway)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.timer.Reset(left)
	}
}

// settle says that the connection closes, and why; the first one is right. From
// then on there is no such connection for a post. It reports whether the caller
// has to end it; before the 101, start will.
func (c *connection) settle(why cause) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why != nil {
		return false
	}
	c.why = &why
	c.queue, c.queued = nil, 0
	if c.timer != nil {
		c.timer.Stop()
	}
	c.api.remove(c)
	return c.ws != nil
}

// shut closes the connection, unless it is closing.
func (c *connection) shut(why cause) {
	if c.settle(why) {
		c.farewell(why)
	}
}

// farewell ends the socket. The client has closeGrace to answer the close frame; a
// client that sent one itself has been answered already.
func (c *connection) farewell(why cause) {
	if why.code == websocket.StatusAbnormalClosure {
		_ = c.ws.CloseNow() // nobody is there to take an error
		return
	}
	cut := time.AfterFunc(closeGrace, func() { c.wire.Close() })
	defer cut.Stop()
	_ = c.ws.Close(why.code, why.reason)
}
