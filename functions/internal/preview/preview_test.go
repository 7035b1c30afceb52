package preview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/preview"
	"windlass/tests/client"
)

func TestWhatIsSaidIsShownToWhoFollows(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("all", ""), follower("mine", "op"), follower("other", "another"))
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		v.Add("reasoning", "hm")
		v.Add("text", "grüß")
		v.Add("text", " dich")
		v.Add("tool", "not shown")
		pass(time.Second)
		want := client.Preview{OperationID: "op", Round: 3, Attempt: 2, Run: 1, Text: "grüß dich", Reasoning: "hm"}
		for id, want := range map[string]client.Preview{"all": want, "mine": want, "other": {}} {
			if d := cmp.Diff(want, w.shown(id)); d != "" {
				t.Errorf("%s (-want +got):\n%s", id, d)
			}
		}
		if d := cmp.Diff(preview.Row{Step: step, Text: preview.Piece{Text: "grüß dich"}, Reasoning: preview.Piece{Text: "hm"}}, w.row); d != "" {
			t.Errorf("the row (-want +got):\n%s", d)
		}
	})
}

// No preview is no reason for the turn to look.
func TestNoPreviewsShowNothing(t *testing.T) {
	var none *preview.Previews
	v := none.Begin(t.Context(), stream, step)
	v.Add("text", "x")
	v.End()
}

func TestAnAnswerThatIsThereAtOnceCostsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		w.list = func() error { t.Error("the followers were read"); return nil }
		quiet := w.Begin(t.Context(), stream, step)
		pass(time.Minute)
		quiet.End()
		v := w.Begin(t.Context(), stream, step)
		v.Add("text", "all of it")
		v.End()
		pass(time.Minute)
		if len(w.posted["c"]) > 0 || w.writes() > 0 {
			t.Errorf("%d posts, %d writes", len(w.posted["c"]), w.writes())
		}
	})
}

// say adds a chunk every 10 ms for a while.
func say(v *preview.Preview, d time.Duration, chunk string) {
	for range d / (10 * time.Millisecond) {
		v.Add("text", chunk)
		pass(10 * time.Millisecond)
	}
}

func TestFramesAndRowsComeAtTheirPace(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		say(v, 10*time.Second, "some words ")
		if n := w.times("c"); n < 90 || n > 100 {
			t.Errorf("%d frames in ten seconds", n)
		}
		if n := w.writes(); n < 9 || n > 11 {
			t.Errorf("the row was written %d times in ten seconds", n)
		}
		before := w.writes()
		pass(10 * time.Second)
		if w.times("c") > 101 || w.writes() > before+1 {
			t.Errorf("%d frames and %d writes of nothing new", w.times("c"), w.writes()-before)
		}
	})
}

// A long text is not written whole each second.
func TestALongRowIsWrittenSeldom(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		v.Add("reasoning", strings.Repeat("r", 300<<10))
		v.Add("text", strings.Repeat("é", 200<<10))
		say(v, 10*time.Second, "x")
		if n := w.writes(); n < 4 || n > 6 {
			t.Errorf("it was written %d times", n)
		}
		if r := w.row; len(r.Text.Text) > 128<<10 || len(r.Reasoning.Text) != 128<<10 || r.Text.End() < 400<<10 || r.Reasoning.End() != 300<<10 {
			t.Errorf("it holds %d..%d and %d..%d", r.Text.From, r.Text.End(), r.Reasoning.From, r.Reasoning.End())
		}
	})
}

func TestAConnectionThatIsGoneIsLeftAlone(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("gone", ""), follower("busy", ""), follower("fine", ""))
		w.answer = func(_ context.Context, id string) error {
			return map[string]error{"gone": connection.ErrGone, "busy": connection.ErrBusy}[id]
		}
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		say(v, 10*time.Second, "x")
		if n := w.times("gone"); n != 1 {
			t.Errorf("%d posts to a connection that is gone", n)
		}
		if n := w.times("busy"); n < 8 || n > 11 {
			t.Errorf("%d posts in ten seconds to a connection that takes nothing", n)
		}
		if n := len(w.shown("fine").Text); n < 985 {
			t.Errorf("the others have %d of 1000 bytes", n)
		}
	})
}

// One that hangs has its second, and the others do not wait for it.
func TestASlowConnectionHoldsUpNobody(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("slow", ""), follower("fine", ""))
		w.answer = func(ctx context.Context, id string) error {
			if id == "slow" {
				<-ctx.Done()
				return errStored
			}
			return nil
		}
		v := w.Begin(t.Context(), stream, step)
		say(v, 8*time.Second, "x")
		if n := len(w.shown("fine").Text); n < 785 {
			t.Errorf("the other has %d of 800 bytes", n)
		}
		if n := w.times("slow"); n < 3 || n > 5 {
			t.Errorf("%d posts in eight seconds, each of which hangs", n)
		}
		if p := w.shown("slow"); p.Gap() || p.Text != strings.Repeat("x", len(p.Text)) || p.Text == "" {
			t.Errorf("what arrived without an answer: %+v", p)
		}
		v.End()
		pass(0) // and no post is under way: the bubble would not end
	})
}

func TestWhoMayNotSeeItDoesNot(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		old := follower("old", "")
		old.ClosesAt = time.Now().Add(3 * time.Second)
		w.join(old, follower("revoked", ""), follower("c", ""))
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		say(v, 2*time.Second, "x")
		w.mu.Lock()
		w.revoked["key-of-revoked"] = true
		w.mu.Unlock()
		say(v, 18*time.Second, "x")
		before := []int{w.times("old"), w.times("revoked"), w.times("c")}
		say(v, 5*time.Second, "x")
		after := []int{w.times("old"), w.times("revoked"), w.times("c")}
		if before[0] == 0 || before[1] == 0 || after[0] != before[0] || after[1] != before[1] || after[2] < before[2]+45 {
			t.Errorf("posts %v, then %v", before, after)
		}
		if w.looked > 6 {
			t.Errorf("three keys were looked up %d times in 25 seconds", w.looked)
		}
	})
}

func TestACrowdIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		for i := range 1000 {
			w.join(follower(fmt.Sprint("c", i), ""))
		}
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		say(v, 3*time.Second, "x")
		if n := len(w.posted); n != 64 {
			t.Errorf("%d connections were posted to", n)
		}
	})
}

// Of two drivers of one call the newer shows; the older finds out at its next write.
func TestAnOlderRunFallsSilent(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		old := w.Begin(t.Context(), stream, step)
		old.Add("text", "old")
		pass(time.Second)
		again := step
		again.Run++
		v := w.Begin(t.Context(), stream, again)
		defer v.End()
		v.Add("text", "new")
		pass(time.Second)
		old.Add("text", "er") // it may post this, writes, and is told
		pass(time.Second)
		n := w.times("c")
		say(old, time.Second, "x")
		if p := w.shown("c"); p.Run != 2 || p.Text != "new" || w.row.Run != 2 || w.times("c") != n {
			t.Errorf("%+v, %+v; %d posts after %d", p, w.row, w.times("c"), n)
		}
	})
}

// Whatever is out of reach, it goes on when that is back, and what was said meanwhile
// is shown then.
func TestAnOutageIsMadeUpFor(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		var back atomic.Bool
		down := func() error {
			if !back.Load() {
				return errors.New("out of reach")
			}
			return nil
		}
		w.put, w.list, w.answer = down, down, func(context.Context, string) error { return down() }
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		say(v, 5*time.Second, "x")
		back.Store(true)
		pass(3 * time.Second)
		if p := w.shown("c"); p.Gap() || len(p.Text) != 500 || len(w.row.Text.Text) != 500 {
			t.Errorf("%+v; %+v", p, w.row)
		}
	})
}

// A text that is longer than what is kept leaves a hole, which can be seen.
func TestWhoIsHopelesslyBehindSkipsAhead(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		var all strings.Builder
		for i := 0; all.Len() < 1<<20; i++ {
			chunk := fmt.Sprintf("%d é ", i)
			all.WriteString(chunk)
			v.Add("text", chunk)
		}
		pass(time.Minute)
		p := w.shown("c")
		if !p.Gap() || p.TextFrom+len(p.Text) != all.Len() || all.String()[p.TextFrom:] != p.Text || len(p.Text) < 256<<10 {
			t.Errorf("it has %d..%d of %d", p.TextFrom, p.TextFrom+len(p.Text), all.Len())
		}
	})
}

func TestNeitherKindWaitsForTheOther(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		v := w.Begin(t.Context(), stream, step)
		defer v.End()
		for range 20 {
			v.Add("reasoning", strings.Repeat("r", 15<<10))
			v.Add("text", "t")
			pass(100 * time.Millisecond)
		}
		if p := w.shown("c"); len(p.Text) < 15 || len(p.Reasoning) < 100<<10 {
			t.Errorf("%d of text, %d of reasoning", len(p.Text), len(p.Reasoning))
		}
	})
}

// Its context's end is its end, too.
func TestNothingOutlivesTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.join(follower("c", ""))
		ctx, cancel := context.WithCancel(t.Context())
		for _, end := range []func(*preview.Preview){func(v *preview.Preview) { v.End() }, func(*preview.Preview) { cancel() }} {
			v := w.Begin(ctx, stream, step)
			say(v, time.Second, "x")
			end(v)
			pass(0)
			posts, writes := w.times("c"), w.writes()
			say(v, time.Minute, "x")
			if posts == 0 || w.times("c") != posts || w.writes() != writes {
				t.Errorf("%d posts and %d writes, then %d and %d", posts, writes, w.times("c"), w.writes())
			}
		}
	})
}
