package bedrock_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"windlass/functions/internal/model"
)

var codes = []string{model.RateLimited, model.Overloaded, model.Unavailable, model.Timeout, model.Overflow, model.Invalid, model.Denied, model.Policy, model.NativeRefused, model.TooLarge}

// check reads a stream and says which promise of a provider it breaks.
func check(t *testing.T, stream string) {
	t.Helper()
	ends, size := 0, 0
	for part, err := range over(t, canned(stream)).Stream(t.Context(), model.Request{Model: "m", Messages: hello}) {
		switch {
		case ends > 0:
			t.Fatalf("%+v, %v came behind the end of %q", part, err, stream)
		case err != nil:
			if f := fault(t, err); !slices.Contains(codes, f.Code) {
				t.Fatalf("%+v for %q", f, stream)
			}
			ends++
		case part.Stop != "":
			ends++
		}
		size += len(part.Text) + len(part.Reasoning)
		if part.Native != "" && !json.Valid([]byte(part.Native)) {
			t.Fatalf("%q is no JSON, for %q", part.Native, stream)
		}
		if part.Call != nil {
			size += len(part.Call.Arguments)
		}
	}
	if ends != 1 || size > 3*len(stream)+2 { // a byte that is no UTF-8 becomes three
		t.Fatalf("%d ends, %d bytes of %q", ends, size, stream)
	}
}

// alphabet are frames as a server may send them, at their right places and at wrong
// ones.
func alphabet(r *rand.Rand) string {
	place := r.IntN(3)
	s := []string{"", "a", "b\n", "{", " "}[r.IntN(5)]
	kinds := []string{
		said(place, s), said(place, s), thought(place, s), proof(place, s), sealed(place, "YWI="), opens(place, "x", s), argues(place, s), argues(place, s), closes(place), closes(place),
		begin(place, `{"image":{"format":"png"}}`), delta(place, `{"image":{"source":{"bytes":"YWI="}}}`), delta(place, `{"new":{}}`), begin(place, `{"toolResult":{"toolUseId":"x"}}`),
		tell("later", `{}`), starts,
	}
	if r.IntN(25) > 0 {
		return kinds[r.IntN(len(kinds))]
	}
	return []string{ended, stops("max_tokens"), stops("malformed_tool_use"), counts, exception("throttlingException", "{}"), tell("contentBlockDelta", "{"), frame("x"), "noise"}[r.IntN(8)]
}

func TestRandomFramesKeepAProvidersPromises(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 13))
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(alphabet(r))
		}
		s := b.String() + ended
		if r.IntN(4) == 0 {
			s = s[:r.IntN(len(s))]
		}
		check(t, s)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("")
	f.Add(whole)
	f.Add(starts + sealed(0, "YWI=") + said(1, "a") + ended)
	f.Add(said(0, "Hel") + exception("serviceUnavailableException", `{"message":"no"}`))
	f.Add(frame("", ":message-type", "error", ":error-code", "x"))
	f.Fuzz(check)
}

// FuzzPayload makes the frames right, so that what is in them is read.
func FuzzPayload(f *testing.F) {
	f.Add("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"a"}}`)
	f.Add("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"x","name":"f"}}}`)
	f.Add("contentBlockDelta", `{"delta":{"reasoningContent":{"redactedContent":"YWI="}}}`)
	f.Add("messageStop", `{"stopReason":"end_turn"}`)
	f.Add("metadata", `{"usage":{"inputTokens":1}}`)
	f.Fuzz(func(t *testing.T, kind, payload string) {
		if len(kind) > 255 {
			return
		}
		check(t, said(0, "a")+tell(kind, payload)+ended)
	})
}
