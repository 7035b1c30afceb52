package gateway

import (
	"time"

	"github.com/coder/websocket"
)

// closeGrace is how long a client may take to answer a close frame, and how long
// Close waits for functions.
const closeGrace = time.Second

// start begins the watch over the connection's time, unless it is closed by now.
func (c *connection) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.timer = time.AfterFunc(c.left(), c.watch)
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
// then on there is no such connection for a post.
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
	return true
}

// shut closes the connection. The client has closeGrace to answer the close
// frame; a client that sent one itself has been answered already.
func (c *connection) shut(why cause) {
	if !c.settle(why) {
		return
	}
	if why.code == websocket.StatusAbnormalClosure {
		_ = c.ws.CloseNow() // nobody is there to take an error
		return
	}
	cut := time.AfterFunc(closeGrace, func() { c.wire.Close() })
	defer cut.Stop()
	_ = c.ws.Close(why.code, why.reason)
}
