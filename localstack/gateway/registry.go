package gateway

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// admit counts a handshake in, or says with which status it is refused.
func (a *SocketAPI) admit() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return http.StatusServiceUnavailable
	case a.admitted == MaxSockets:
		return http.StatusTooManyRequests
	}
	a.admitted++
	a.tasks.Add(1)
	return 0
}

// leave is the end of what admit began; the connection's goroutine, if there is
// one, has its own place among the tasks by then.
func (a *SocketAPI) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.admitted--
}

func (a *SocketAPI) add(c *connection) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.connections[c.id] = c
	return true
}

func (a *SocketAPI) remove(c *connection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.connections, c.id)
}

func (a *SocketAPI) find(id string) *connection {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.connections[id]
}

// Close closes every connection with 1001, refuses new ones, and returns when
// their goroutines have ended. Functions have a second to end, $disconnect
// included, which is therefore best effort.
func (a *SocketAPI) Close() {
	a.mu.Lock()
	a.closed = true
	open := slices.Collect(maps.Values(a.connections))
	a.mu.Unlock()
	stop := time.AfterFunc(closeGrace, a.cancel)
	defer stop.Stop()
	var shut sync.WaitGroup
	for _, c := range open {
		shut.Go(func() { c.shut(goingAway) })
	}
	shut.Wait()
	a.tasks.Wait()
	a.cancel()
}
