package tools

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// How much is done at once, and how often the process is killed meanwhile.
const (
	sessions = 3
	rounds   = 3
	kills    = 8
)

// shared is a stack that others use while it is killed.
type shared struct {
	mu    sync.Mutex
	stack *embedded.Stack
}

// client waits while there is no process.
func (s *shared) client() client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stack.Client()
}

func place(class, session string, round int) string {
	return fmt.Sprintf("/%s/%s/%d", class, session, round)
}

// mixed asks for one call of each class a round.
func mixed(s *shop) func(asked) providers.Answer {
	return func(a asked) providers.Answer {
		round := len(a.results) / len(classes)
		if round == rounds {
			return say(strings.Join(a.results, "\n"))
		}
		var calls []providers.Part
		for i, class := range classes {
			calls = append(calls, call(fmt.Sprint("call-", i), "http_"+class, map[string]string{"method": methods[class], "url": s.URL + place(class, a.prompt, round)}))
		}
		return ask(calls...)
	}
}

// Turns that call all classes at once, in several sessions. A kill hits one of their calls
// at a chosen moment, and everything else that is under way at any.
func TestCallsOfAllClassesThroughKillsAtRandom(t *testing.T) {
	t.Parallel()
	ctx := patience(t) // a step that four kills have hit is not tried again for a minute
	shop := newShop(t)
	s := &shared{stack: embedded.Start(t, folder(t, map[string]string{"clerk": shop.clerk("2s")}), model(t, mixed(shop)))}
	hit := planned(shop)
	people := make([]*person, sessions)
	var all sync.WaitGroup
	for i := range people {
		people[i] = &person{shop: shop}
		submit(ctx, t, s.stack, fmt.Sprint("s-", i), "clerk", fmt.Sprint("s-", i))
	}
	for i, p := range people {
		all.Go(func() { attendThroughKills(ctx, t, s, p, fmt.Sprint("s-", i)) })
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	killUntil(ctx, t, s, shop.deaths, ended)
	books := newLedger()
	waited := 0
	for i, p := range people {
		session := fmt.Sprint("s-", i)
		waited += p.answers
		settled(ctx, t, s.stack, session)
		sentOnce(t, shop, verified(ctx, t, s.stack, session))
	}
	for _, class := range classes {
		n := 0
		if class == "once" {
			n = waited
		}
		books.enter(shop, class, n, hit[class])
		if l := books.lines[class]; l.calls != sessions*rounds || l.duplicated+l.lost > 0 {
			t.Errorf("%s: %+v", class, *l)
		}
	}
	for path, o := range shop.of("idempotent") {
		if len(o.keys) != 1 {
			t.Errorf("%s was sent with %d keys", path, len(o.keys))
		}
	}
	books.print(t)
}

// A call that was sent again by a person's word may be hit again: then a person is asked
// again, and it is not sent a third time without another such word.
func TestACallThatIsHitAgainIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	for name, hits := range map[string][]moment{
		"undone":             {before, before},
		"done and not told":  {before, after},
		"three times undone": {before, before, before},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := patience(t)
			shop := newShop(t)
			s := &shared{stack: embedded.Start(t, folder(t, map[string]string{"clerk": shop.clerk("2s")}), model(t, shopping(shop)))}
			shop.plan("/once/s/0", hits...)
			submit(ctx, t, s.stack, "s", "clerk", "once/s 1")
			ended := make(chan struct{})
			go func() {
				attendThroughKills(ctx, t, s, &person{shop: shop}, "s")
				close(ended)
			}()
			killUntil(ctx, t, s, shop.deaths, ended)
			settled(ctx, t, s.stack, "s")
			events := verified(ctx, t, s.stack, "s")
			sentOnce(t, shop, events)
			want := len(hits)
			if hits[want-1] == before {
				want++
			}
			if o := shop.of("once")["/once/s/0"]; o.requests != want || o.effects != 1 || count(events, "approval.requested") != len(hits) {
				t.Errorf("sent %d times, %d effects, asked about %d times", o.requests, o.effects, count(events, "approval.requested"))
			}
		})
	}
}

// planned chooses which calls kill the process, and when; it returns how many of a class.
func planned(s *shop) map[string]int {
	hit := map[string]int{}
	for n := 0; n < kills; {
		class := classes[rand.N(len(classes))]
		path := place(class, fmt.Sprint("s-", rand.N(sessions)), rand.N(rounds))
		if s.plans[path] == nil {
			s.plan(path, moment(1+rand.N(3)))
			hit[class]++
			n++
		}
	}
	return hit
}

// attendThroughKills asks again whoever is there.
func attendThroughKills(ctx context.Context, t *testing.T, s *shared, p *person, session string) {
	for ctx.Err() == nil {
		if err := p.attend(ctx, t, s.client(), session); err == nil {
			return
		}
	}
	t.Errorf("%s: %v", session, ctx.Err())
}

// killUntil kills the process each time that it is wanted dead.
func killUntil(ctx context.Context, t *testing.T, s *shared, wanted deaths, ended <-chan struct{}) {
	for {
		select {
		case dead := <-wanted:
			s.mu.Lock()
			s.stack.Kill()
			close(dead)
			s.stack.Restart()
			s.mu.Unlock()
		case <-ended:
			return
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
}
