package sockets

import (
	"testing"

	"windlass/tests/client"
)

// One client subscribes and never reads, another one stops at its first frame. What
// waits for them is bounded, and whoever reads gets everything meanwhile.
func TestAClientThatNeverReadsDelaysNobody(t *testing.T) {
	const buffers = 8 << 20 // more than the kernel and the gateway keep for one
	ctx, d := start(t)
	put(ctx, t, d.Client(), "s", "/first")
	stuck := dial(ctx, t, d.Client())
	if err := stuck.Subscribe(ctx, "s", "", 0); err != nil {
		t.Fatal(err)
	}
	reads := make(chan struct{})
	late := follow(ctx, client.Follower{Client: d.Client, Session: "s", Frame: func(*client.Socket, client.Frame) { <-reads }}, completed("op"))
	submit(ctx, t, d.Client(), "s", "op", load(60, 10, 15_000, 0))
	reader := follow(ctx, client.Follower{Client: d.Client, Session: "s", Quiet: calm}, completed("op"))
	reader.wait(ctx, t)
	reader.came(t)
	sum := 0
	for _, raw := range reader.seen {
		sum += len(raw)
	}
	if sum < buffers {
		t.Errorf("only %d bytes passed: nothing was tested", sum)
	}
	if n := late.last.Load(); n > 0 {
		t.Errorf("the late one has seen %d events", n)
	}
	close(reads) // it finds out what it missed, and asks
	late.wait(ctx, t)
}
