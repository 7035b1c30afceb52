package tools

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// turns is how many are killed in each class, callsOf how many calls each has.
const (
	turns   = 12
	callsOf = 2
)

// shopping asks for a prompt's calls, such as "once/s-1 2", one after the other.
func shopping(s *shop) func(asked) providers.Answer {
	return func(a asked) providers.Answer {
		var path string
		var calls int
		_, _ = fmt.Sscan(a.prompt, &path, &calls)
		if len(a.results) == calls {
			return say(strings.Join(a.results, "\n"))
		}
		class, _, _ := strings.Cut(path, "/")
		return ask(call("call", "http_"+class, map[string]string{"method": methods[class], "url": fmt.Sprintf("%s/%s/%d", s.URL, path, len(a.results))}))
	}
}

// The process is killed in the middle of a request, of every class and at every moment: a
// read is asked again, an idempotent call is sent again and takes effect once, and one that
// must not be repeated is not, and waits for a person.
func TestCallsThroughKills(t *testing.T) {
	t.Parallel()
	all := newLedger()
	t.Run("classes", func(t *testing.T) {
		for _, class := range classes {
			t.Run(class, func(t *testing.T) {
				t.Parallel()
				killed(t, class, all)
			})
		}
	})
	all.print(t)
}

// killed kills the process in the first call of every turn of a class.
func killed(t *testing.T, class string, all *ledger) {
	ctx := patience(t)
	shop := newShop(t)
	stack := embedded.Start(t, folder(t, map[string]string{"clerk": shop.clerk("2s")}), model(t, shopping(shop)))
	for i := range turns {
		session := fmt.Sprintf("s-%d", i)
		shop.plan(fmt.Sprintf("/%s/%s/0", class, session), moment(i%3+1))
		submit(ctx, t, stack, session, "clerk", fmt.Sprintf("%s/%s %d", class, session, callsOf))
		shop.kill(ctx, t, stack)
	}
	waited := 0
	for i := range turns {
		waited += finished(ctx, t, stack, shop, class, fmt.Sprintf("s-%d", i), moment(i%3+1))
	}
	all.enter(shop, class, waited, turns)
	if n := all.lines[class]; n.duplicated > 0 || n.lost > 0 || n.calls != turns*callsOf || (waited > 0) != (class == "once") {
		t.Errorf("%s: %+v", class, *n)
	}
}

// finished looks at what became of a turn, and answers what it asks a person.
func finished(ctx context.Context, t *testing.T, s *embedded.Stack, shop *shop, class, session string, m moment) (waited int) {
	t.Helper()
	path := fmt.Sprintf("/%s/%s/0", class, session)
	asks := class == "once" && (m == before || m == after)
	if class == "once" {
		p := &person{shop: shop}
		if err := p.attend(ctx, t, s.Client(), session); err != nil {
			t.Fatal(err)
		}
		waited = p.answers
	}
	o := settled(ctx, t, s, session)
	if n := strings.Count(*o.Output, "receipt of /"+class+"/"+session+"/"); n != callsOf {
		t.Errorf("%s, killed %s: the model was shown %d receipts: %s", session, m, n, *o.Output)
	}
	events := verified(ctx, t, s, session)
	if n := count(events, "approval.requested"); n != waited || asks && n < 1 {
		t.Errorf("%s, killed %s: a person was asked %d times, and answered %d", session, m, n, waited)
	}
	sentOnce(t, shop, events)
	// A later turn's kill may hit the call again.
	first := shop.of(class)[path]
	if class != "once" && m != answered && first.requests < 2 {
		t.Errorf("%s, killed %s: the first call was sent %d times", session, m, first.requests)
	}
	for path, o := range shop.of(class) {
		if strings.Contains(path, "/"+session+"/") && class != "read" && (o.effects != 1 || class == "idempotent" && len(o.keys) != 1) {
			t.Errorf("%s, killed %s: %d effects, %d keys", path, m, o.effects, len(o.keys))
		}
	}
	return waited
}
