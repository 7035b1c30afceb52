package modeltest

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/tests/providers"
)

// patience is how long a test waits for what must happen at once; it fails by it.
const patience = 30 * time.Second

func (s Suite) streams(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	said := strings.Repeat("Hello 🦀 <b>. ", 60)
	seen := make(chan struct{})
	c, _ := s.talk(t, providers.Answer{Parts: []providers.Part{text(said)}, Hold: func(piece int) bool {
		if piece == 60 { // the text alone has more
			select {
			case <-seen:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}})
	c.say("hello")
	var got strings.Builder
	pieces, stop := 0, ""
	for p, err := range c.p.Stream(ctx, c.request(t)) {
		if err != nil {
			t.Fatalf("after %d pieces: %v", pieces, err)
		}
		if stop != "" {
			t.Fatalf("%+v came behind the end", p)
		}
		if stop = p.Stop; p.Text != "" {
			if pieces++; pieces == 1 {
				close(seen)
			}
			got.WriteString(p.Text)
		}
	}
	if got.String() != said || pieces < 10 || stop != model.StopEnd {
		t.Errorf("%d pieces, ended by %q: %q", pieces, stop, got.String())
	}
}

func (s Suite) reasoning(t *testing.T) {
	if s.Lacks.Reasoning {
		return
	}
	c, _ := s.talk(t, parts(providers.Part{Reasoning: "I look at it, and then at it again."}, text("Hello.")))
	c.say("hello")
	if got, want := show(c.answer(t)), `reasoning:"I look at it, and then at it again." text:"Hello." end`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// opaque: proofs of reasoning are a provider's own, and a model that is given
// another's, or one that was changed, refuses the whole session.
func (s Suite) opaque(t *testing.T) {
	if s.Lacks.Signature {
		return
	}
	proofs := []string{"U2lnbmF0dXJl+/Tk9X", "UmVkYWN0ZWQ+/QUJD"}
	said := []providers.Part{{Reasoning: "I read it.", Signature: proofs[0]}}
	if s.Lacks.Redacted {
		proofs = proofs[:1]
	} else {
		said = append(said, providers.Part{Signature: proofs[1]})
	}
	c, server := s.talk(t, parts(append(said, text("Looking."), call("call_1", "read", `{"path":"/a"}`))...), parts(text("Done.")))
	c.say("hello")
	c.answer(t)
	c.answer(t)
	c.say("and now")
	c.answer(t)
	c.origin = "another/model"
	c.answer(t)
	for n, body := range server.Requests() {
		for _, proof := range proofs {
			if want := n == 1 || n == 2; bytes.Contains(body, []byte(proof)) != want {
				t.Errorf("request %d: %s is in it: %t, want %t\n%s", n, proof, !want, want, body)
			}
		}
	}
}

func (s Suite) calls(t *testing.T) {
	const long = `{"path":"/a very long path/of <many> & more/parts 🦀.txt"}`
	c, _ := s.talk(t,
		parts(text("Looking."), call("call_1", "read", long)),
		parts(call("call_2", "read", `{"path":"/b"}`), call("call_3", "list", `{}`), call("call_4", "read", long)),
	)
	c.say("hello")
	for _, want := range []string{
		`text:"Looking." call_1=read(` + long + `) tools`,
		`call_2=read({"path":"/b"}) call_3=list({}) call_4=read(` + long + `) tools`,
	} {
		if got := show(c.answer(t)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// repeatedIDs: the protocol's rules say that an id stands for one call, and some
// servers begin to count anew in every answer.
func (s Suite) repeatedIDs(t *testing.T) {
	c, server := s.talk(t, parts(call("call_0", "list", "{}"), call("call_1", "list", "{}")))
	c.say("hello")
	for range 3 {
		if got, want := show(c.answer(t)), "call_0=list({}) call_1=list({}) tools"; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("asked %d times", n)
	}
}

func (s Suite) arguments(t *testing.T) {
	c, _ := s.talk(t,
		parts(call("call_1", "list", "")),
		parts(call("call_2", "read", `{"{"path":`), call("call_3", "read", `{"path":"/a`)),
		parts(call("call_4", "read", `["a"]`)),
		parts(text("Done.")),
	)
	c.say("hello")
	for _, want := range []string{"call_1=list({}) tools", `call_2=read({"{"path":) call_3=read({"path":"/a) tools`, `call_4=read(["a"]) tools`, `text:"Done." end`} {
		if got := show(c.answer(t)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func (s Suite) usage(t *testing.T) {
	told := providers.Usage{Input: 1000, Output: 70, Cached: 600, CacheWrite: 300, Reasoning: 50}
	if s.Lacks.Cached {
		told.Cached = 0
	}
	if s.Lacks.CacheWrite {
		told.CacheWrite = 0
	}
	if s.Lacks.ReasoningTokens {
		told.Reasoning = 0
	}
	for _, stop := range []string{"end", "length"} {
		c, _ := s.talk(t, providers.Answer{Parts: []providers.Part{text("Hello.")}, Usage: told, Stop: stop})
		c.say("hello")
		want := event.Tokens{InputTokens: told.Input, OutputTokens: told.Output, CachedTokens: told.Cached, CacheWriteTokens: told.CacheWrite, ReasoningTokens: told.Reasoning}
		if got := c.answer(t).Usage; got != want {
			t.Errorf("%s: %+v, want %+v", stop, got, want)
		}
	}
}

func (s Suite) stops(t *testing.T) {
	for stop, want := range map[string]string{"end": model.StopEnd, "length": model.StopLength, "refusal": model.StopRefusal} {
		if stop == "refusal" && s.Lacks.Refusal {
			continue
		}
		c, _ := s.talk(t, providers.Answer{Parts: []providers.Part{text("I would rather not.")}, Stop: stop})
		c.say("hello")
		if got, want := show(c.answer(t)), `text:"I would rather not." `+want; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	c, _ := s.talk(t, providers.Answer{})
	c.say("hello")
	if got := c.answer(t); show(got) != "end" || got.Items == nil {
		t.Errorf("of nothing came %s", show(got))
	}
}

func (s Suite) cutCall(t *testing.T) {
	for _, arguments := range []string{`{"path":"/a long na`, `{"path":"/a"}`} { // what there is may even be whole
		c, _ := s.talk(t, providers.Answer{Parts: []providers.Part{text("Looking."), call("call_1", "read", arguments)}, Stop: "length"})
		c.say("hello")
		if got, want := show(c.answer(t)), `text:"Looking." length`; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
