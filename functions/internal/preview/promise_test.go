package preview_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/preview"
	"windlass/tests/client"
)

// wild is a world in which everything takes its time, and much goes wrong until it
// heals. Within synctest.
type wild struct {
	t    *testing.T
	mu   sync.Mutex // of everything
	r    *rand.Rand
	calm bool // nothing goes wrong, it only takes its time
	row  preview.Row
	subs []connection.Subscriber
	all  map[string]*joiner
}

// A joiner is a client that subscribes at some time, and reads the row at a later one.
type joiner struct {
	got   client.Previews
	last  client.Preview
	heard int
}

func (w *wild) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.calm && w.r.Float64() < p
}

func (w *wild) number(below int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.r.IntN(below)
}

// late lets up to d go by.
func (w *wild) late(d time.Duration) { time.Sleep(time.Duration(w.number(int(d)))) }

func (w *wild) Put(_ context.Context, _ eventstore.Stream, r preview.Row) (bool, error) {
	w.late(100 * time.Millisecond)
	if w.chance(0.2) {
		return false, errors.New("not stored")
	}
	w.mu.Lock()
	w.row = r
	w.mu.Unlock()
	w.late(300 * time.Millisecond)
	if w.chance(0.2) {
		return false, errors.New("stored all the same")
	}
	return true, nil
}

func (w *wild) SomeSubscribers(context.Context, eventstore.Stream, int32) ([]connection.Subscriber, error) {
	w.late(400 * time.Millisecond)
	w.mu.Lock()
	subs := append([]connection.Subscriber(nil), w.subs...)
	w.mu.Unlock()
	w.late(400 * time.Millisecond)
	if w.chance(0.3) {
		return nil, errors.New("out of reach")
	}
	return subs, nil
}

func (w *wild) Valid(context.Context, string) error { return nil }

// Post: a frame arrives or does not, and whether it did is told, or not.
func (w *wild) Post(ctx context.Context, id string, b []byte) error {
	arrive := func() {
		w.late(500 * time.Millisecond)
		w.hear(id, b)
	}
	switch {
	case w.chance(0.1):
		return connection.ErrBusy
	case w.chance(0.1):
		arrive()
		return errStored
	case w.chance(0.1):
		<-ctx.Done() // and it arrives long after
		go func() { w.late(4 * time.Second); w.hear(id, b) }()
		return ctx.Err()
	}
	arrive()
	return ctx.Err()
}

func (w *wild) hear(id string, b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.all[id]
	j.heard++
	if p, ok := j.got.Take(decode(w.t, b)); ok {
		j.last = p
	}
}

// join subscribes after a while, and then reads the row, as wsapi does.
func (w *wild) join(id string, after time.Duration) {
	time.Sleep(after)
	w.mu.Lock()
	w.subs = append(w.subs, follower(id, ""))
	w.mu.Unlock()
	w.late(2 * time.Second)
	w.mu.Lock()
	frames := w.row.Frames("s")
	w.mu.Unlock()
	for _, f := range frames {
		w.late(200 * time.Millisecond)
		w.hear(id, f)
	}
}

// words are what the model says, in chunks that mind no character's end.
func (w *wild) words() (chunks []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	most := 100 << 10 // so that rows hold all of it
	for range 50 + w.r.IntN(200) {
		all := strings.Repeat([]string{"a", "é", "€", "🦀", "\"\\\n", "\x01"}[w.r.IntN(6)], 1+w.r.IntN(20))
		if w.r.IntN(50) == 0 {
			all = strings.Repeat(all, 500)
		}
		if most -= len(all); most < 0 {
			break
		}
		at := w.r.IntN(len(all))
		chunks = append(chunks, all[:at], all[at:])
	}
	return chunks
}

// Whatever is lost, late, doubled or out of reach, and whenever a client joins: what
// it has is at any time a piece of what the model said, at its own place, and in the
// end, where nothing was lost for good, all of it.
func TestWhatAClientHasIsWhatTheModelSaid(t *testing.T) {
	late := 0
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			w := &wild{t: t, r: rand.New(rand.NewPCG(seed, 5)), calm: seed%3 == 0, all: map[string]*joiner{}}
			late += w.live()
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if late < 100 {
		t.Errorf("only %d clients joined in the middle", late)
	}
}

func (w *wild) live() (late int) {
	var joins sync.WaitGroup
	for i := range 5 {
		id, after := fmt.Sprint("c", i), time.Duration(w.number(int(12*time.Second)))
		if i == 0 {
			after = 0
		}
		w.all[id] = &joiner{}
		joins.Go(func() { w.join(id, after) })
	}
	v := preview.New(w, w, w, w, time.Now).Begin(w.t.Context(), stream, step)
	said := map[string]string{}
	kind := "text"
	for n, chunk := range w.words() {
		if n%2 == 0 && w.number(8) == 0 { // between two characters
			kind = map[string]string{"text": "reasoning", "reasoning": "text"}[kind]
		}
		said[kind] += chunk
		v.Add(kind, chunk)
		w.late(80 * time.Millisecond)
		late += w.check(said, false)
	}
	w.mu.Lock()
	w.calm = true // from here on it heals
	w.mu.Unlock()
	joins.Wait()
	time.Sleep(time.Minute)
	synctest.Wait()
	late += w.check(said, true)
	v.End()
	time.Sleep(time.Minute) // this world's calls do not heed their contexts
	return min(late, 4)
}

// check compares what clients have with what was said; whole: all of it. It counts
// those who heard something that does not begin at the beginning.
func (w *wild) check(said map[string]string, whole bool) (late int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, j := range w.all {
		p := j.last
		for kind, got := range map[string]struct {
			text string
			from int
		}{"text": {p.Text, p.TextFrom}, "reasoning": {p.Reasoning, p.ReasoningFrom}} {
			all := said[kind]
			if end := got.from + len(got.text); end > len(all) || all[got.from:end] != got.text {
				w.t.Errorf("%s has %d..%d of %s, and it is something else", id, got.from, end, kind)
			}
			if whole && got.text != all {
				w.t.Errorf("%s has %d..%d of %s in the end, which is %d long", id, got.from, got.from+len(got.text), kind, len(all))
			}
		}
		if p.Gap() {
			late++
		}
	}
	return late
}
