package modeltest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/tests/providers"
)

func (s Suite) settings(t *testing.T) {
	c, server := s.talk(t, parts(text("Hello.")))
	c.say("hello")
	ask := func(change func(*model.Request)) []byte {
		r := c.request(t)
		change(&r)
		if _, _, err := model.Ask(t.Context(), c.p, r, nil); err != nil {
			t.Fatal(err)
		}
		all := server.Requests()
		return all[len(all)-1]
	}
	if body := ask(func(r *model.Request) { r.MaxOutputTokens = 4321 }); !bytes.Contains(body, []byte("4321")) {
		t.Errorf("the most output tokens are not in %s", body)
	}
	if s.Lacks.Effort {
		return
	}
	seen := map[string]string{}
	for _, effort := range []string{model.EffortNone, model.EffortLow, model.EffortMedium, model.EffortHigh} {
		body := string(ask(func(r *model.Request) { r.Effort, r.MaxOutputTokens = effort, 32_000 }))
		if other, ok := seen[body]; ok {
			t.Errorf("the efforts %s and %s are asked for alike: %s", other, effort, body)
		}
		seen[body] = effort
	}
}

func (s Suite) threeRounds(t *testing.T) {
	c, server := s.talk(t,
		parts(s.thought(0), text("Looking."), call("call_0", "read", `{"path":"/a"}`), call("call_1", "read", `{"path":"/b"}`)),
		parts(call("call_0", "list", ""), call("call_1", "read", `{"path`), call("call_2", "what is this?", "{}")),
		parts(text("Done.")),
	)
	c.say("go")
	var got []string
	for range 3 {
		got = append(got, c.answer(t).Stop)
	}
	if d := cmp.Diff([]string{model.StopTools, model.StopTools, model.StopEnd}, got); d != "" {
		t.Errorf("ends (-want +got):\n%s", d)
	}
	s.grows(t, server)
}

// thought is reasoning, as far as the protocol has it; a text where it has none.
func (s Suite) thought(round int) providers.Part {
	switch {
	case s.Lacks.Reasoning:
		return text(fmt.Sprintf("I think of round %d.", round))
	case s.Lacks.Signature:
		return providers.Part{Reasoning: fmt.Sprintf("I think of round %d.", round)}
	}
	return providers.Part{Reasoning: fmt.Sprintf("I think of round %d.", round), Signature: fmt.Sprintf("c2lnbmVk%04d", round)}
}

// prefix: providers keep what requests begin with, and three quarters of what a
// long turn costs is saved by it.
func (s Suite) prefix(t *testing.T) {
	const rounds = 128
	server := providers.Serve(t, s.Protocol, func(n int, _ []byte) providers.Answer {
		// The ids are the same in every round, or of no use.
		return parts(s.thought(n), text(fmt.Sprintf("Round %d.", n)), call("call_0", "read", `{"path":"/a"}`), call("call_0", "read", `{"path`), call("", "list", ""), call(fmt.Sprintf("call_%d", n), "list", "{}"))
	})
	c := &talk{Suite: s, p: s.New(t, server.URL), origin: s.Protocol.Name() + "/" + s.Model}
	c.say("go")
	for range rounds {
		c.answer(t)
	}
	if n := len(server.Requests()); n != rounds {
		t.Fatalf("asked %d times", n)
	}
	s.grows(t, server)
}

func (s Suite) grows(t *testing.T, server *providers.Server) {
	t.Helper()
	all := server.Requests()
	for n := 1; n < len(all); n++ {
		if !bytes.Equal(s.Head(all[n-1]), s.Head(all[n])) {
			t.Fatalf("what is no message differs in request %d (-before +now):\n%s", n, cmp.Diff(string(s.Head(all[n-1])), string(s.Head(all[n]))))
		}
		before, now := s.Messages(all[n-1]), s.Messages(all[n])
		if !bytes.HasPrefix(now, before) || len(before) == 0 || len(now) == len(before) {
			t.Fatalf("the messages of request %d do not begin with those before:\n%.3000s\n%.3000s", n, before, now)
		}
	}
}
