package sockets

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"windlass/tests/client"
)

// A chaos kills sockets at random frames while the log grows, then at each, until it
// has killed enough.
type chaos struct {
	mu     sync.Mutex
	moved  sync.Cond
	killed int
	lead   uint64 // the last seq that the leader has seen
	still  bool   // the log has ended: nobody lags any more
	over   bool   // the test has ended: nobody waits any more
}

const enough = 1000

// frames is the hook of one follower.
func (c *chaos) frames() func(*client.Socket, client.Frame) {
	var before *client.Socket
	return func(s *client.Socket, _ client.Frame) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if s == before || c.killed == enough || !c.still && rand.N(2) > 0 {
			return
		}
		before = s
		s.Kill()
		c.killed++
		c.moved.Broadcast()
	}
}

// until waits for kills.
func (c *chaos) until(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.killed < n && !c.over {
		c.moved.Wait()
	}
}

// leads is what the leader sees.
func (c *chaos) leads(e client.Event, _ []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lead = e.Seq
	c.moved.Broadcast()
	return nil
}

// lags keeps a follower behind the leader: it does not read meanwhile.
func (c *chaos) lags(e client.Event, _ []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.lead < e.Seq+100 && !c.still && !c.over {
		c.moved.Wait()
	}
	return nil
}

func (c *chaos) set(flag *bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*flag = true
	c.moved.Broadcast()
}

func (c *chaos) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

// Records come shuffled and twice, sockets are lost a thousand times and the
// process is killed: each follower sees the log, once, in order.
func TestAThousandLostSockets(t *testing.T) {
	const operations, processes = 4, 4
	ctx, d := start(t, "WINDLASS_LOCAL_STREAM=shuffle,redeliver")
	for i := range operations {
		latency := 25
		if i == 1 {
			latency = 0 // many commits at once: batches of them, with gaps
		}
		submit(ctx, t, d.Client(), "s", fmt.Sprint("op-", i), load(80, 3, 64, latency))
	}
	c := &chaos{}
	c.moved.L = &c.mu
	context.AfterFunc(ctx, func() { c.set(&c.over) })
	everything := client.Follower{Client: d.Client, Session: "s", Quiet: 50 * time.Millisecond}
	follower := func(f client.Follower, see func(client.Event, []byte) error, last func(client.Event) bool) *following {
		f.See, f.Frame = see, c.frames()
		return follow(ctx, f, last)
	}
	one := everything
	one.Operation = "op-3"
	followers := []*following{
		follower(everything, c.leads, written("/end")),
		follower(everything, nil, written("/end")),
		follower(everything, c.lags, written("/end")),
		follower(one, nil, completed("op-3")),
	}
	for i := range processes {
		c.until((i + 1) * enough / (2 * processes)) // while turns still run
		d.replace()
		t.Logf("the process was killed at seq %d of the leader", followers[0].last.Load())
	}
	for i := range operations {
		if o, err := d.Client().Wait(ctx, "s", fmt.Sprint("op-", i)); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	t.Logf("%d sockets were killed while turns ran, which the leader saw to seq %d", c.count(), followers[0].last.Load())
	c.set(&c.still)
	c.until(enough)
	put(ctx, t, d.Client(), "s", "/end")
	for _, f := range followers {
		f.wait(ctx, t)
	}
	if n := c.count(); n != enough {
		t.Errorf("%d sockets were killed", n)
	}
	verify(ctx, t, d.Client(), "s")
}
