package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/coder/websocket"
)

// Bounds of what waits for one client. AWS does not say its own.
const (
	maxQueue     = 64
	maxQueued    = 1 << 20
	writeTimeout = 10 * time.Second
)

var (
	errGone = errors.New("the connection is closed")
	errFull = errors.New("the client does not read")
)

// push queues a message. Messages are written in the order of their pushes, by a
// goroutine that there is only while there are any.
func (c *connection) push(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.why != nil || c.ending:
		return errGone
	case len(c.queue) == maxQueue || c.queued+len(text) > maxQueued:
		return errFull
	}
	c.queue = append(c.queue, text)
	c.queued += len(text)
	c.write()
	return nil
}

// end closes the connection after what is queued.
func (c *connection) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why != nil || c.ending {
		return errGone
	}
	c.ending = true
	c.write()
	return nil
}

// write starts the writing, if there is something to write or to end, and a
// socket. It needs mu. An unsettled connection's goroutine or handshake is among
// the tasks, so there is no race with their Wait.
func (c *connection) write() {
	if c.ws != nil && !c.writing && (c.ending || len(c.queue) > 0) {
		c.writing = true
		c.api.tasks.Go(c.drain)
	}
}

func (c *connection) drain() {
	for {
		text, ok := c.first()
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
		err := c.ws.Write(ctx, websocket.MessageText, text)
		cancel()
		if err != nil {
			c.shut(abnormal)
			return
		}
		c.touch()
		c.written()
	}
}

// first returns what is to be written next, or ends the writing. It stays in the
// queue meanwhile: the bounds count it.
func (c *connection) first() ([]byte, bool) {
	c.mu.Lock()
	if len(c.queue) > 0 {
		defer c.mu.Unlock()
		return c.queue[0], true
	}
	c.writing = false
	ending := c.ending
	c.mu.Unlock()
	if ending {
		c.shut(deleted)
	}
	return nil, false
}

func (c *connection) written() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 { // closed meanwhile
		return
	}
	c.queued -= len(c.queue[0])
	c.queue[0] = nil
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil // an idle connection keeps no room
	}
}
