package sockets

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"windlass/tests/client"
)

// pieces is a stress prompt whose answer comes in pieces, for some seconds.
func pieces(bytes, chunk, pause int) string {
	return fmt.Sprintf(`{"rounds":0,"answerBytes":%d,"chunkBytes":%d,"chunkMs":%d}`, bytes, chunk, pause)
}

// shown collects what a follower is shown of an answer.
type shown struct {
	mu    sync.Mutex
	all   []client.Preview
	want  int
	there chan struct{} // closed when so many bytes are there
}

func watching(want int) *shown { return &shown{want: want, there: make(chan struct{})} }

func (s *shown) see(p client.Preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, p)
	if s.want > 0 && len(p.Text) >= s.want {
		s.want = 0
		close(s.there)
	}
}

// until waits for as many bytes as were to be watched for.
func (s *shown) until(ctx context.Context, t *testing.T, d *deployment) {
	t.Helper()
	select {
	case <-s.there:
	case <-ctx.Done():
		d.Kill()
		t.Fatalf("%d previews came\n%s", len(s.all), d.Log())
	}
}

// output is an operation's answer.
func output(ctx context.Context, t *testing.T, c client.Client, session, id string) string {
	t.Helper()
	o, err := c.Wait(ctx, session, id)
	if err != nil || o.Output == nil {
		t.Fatalf("%+v, %v", o, err)
	}
	return *o.Output
}

// joined subscribes on a new socket, and reads previews until they have so much text.
func joined(ctx context.Context, t *testing.T, c client.Client, least int) client.Preview {
	t.Helper()
	s := dial(ctx, t, c)
	if err := s.Subscribe(ctx, "s", "", 0); err != nil {
		t.Fatal(err)
	}
	var all client.Previews
	for {
		f, err := s.Until(ctx, "preview")
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := all.Take(f); ok && len(p.Text) >= least {
			return p
		}
	}
}

// What a model says is followed while it says it, from the beginning, and by who joins
// in the middle too.
func TestAnAnswerIsFollowedWhileItIsWritten(t *testing.T) {
	ctx, d := start(t)
	submit(ctx, t, d.Client(), "s", "op", pieces(4000, 20, 20))
	seen := watching(500)
	f := follow(ctx, client.Follower{Client: d.Client, Session: "s", Quiet: calm, Preview: seen.see}, completed("op"))
	seen.until(ctx, t, d)
	late := joined(ctx, t, d.Client(), 500)
	f.wait(ctx, t)
	answer := output(ctx, t, d.Client(), "s", "op")
	for i, p := range append(seen.all, late) {
		if p.OperationID != "op" || p.Round != 1 || p.Attempt != 1 || p.Run != 1 || p.Gap() || !strings.HasPrefix(answer, p.Text) {
			t.Fatalf("preview %d of %d: %+v", i+1, len(seen.all), p)
		}
	}
	if n := len(seen.all); n < 5 {
		t.Errorf("%d previews came of an answer of two hundred pieces", n)
	}
}

// The row outlives who wrote it, and the next driver's own words take its place.
func TestAnAnswerIsShownAfterItsDriverWasKilled(t *testing.T) {
	ctx, d := start(t)
	submit(ctx, t, d.Client(), "s", "op", pieces(4000, 20, 20))
	seen := watching(500)
	f := follow(ctx, client.Follower{Client: d.Client, Session: "s", Preview: seen.see}, completed("op"))
	seen.until(ctx, t, d)
	d.replace()
	late := joined(ctx, t, d.Client(), 1)
	f.wait(ctx, t)
	answer := output(ctx, t, d.Client(), "s", "op")
	for _, p := range append(seen.all, late) {
		if end := p.TextFrom + len(p.Text); end > len(answer) || answer[p.TextFrom:end] != p.Text {
			t.Fatalf("%+v is no part of %.100q…", p, answer)
		}
	}
	if last := seen.all[len(seen.all)-1]; last.Run < 2 || last.Gap() {
		t.Errorf("the last that was shown is %+v", last)
	}
	verify(ctx, t, d.Client(), "s")
}
