package bedrock_test

import (
	"strings"
	"testing"

	"windlass/functions/internal/model"
)

var whole = starts + thought(0, "hm") + proof(0, "c2ln") + closes(0) + said(1, "Hello") + closes(1) + opens(2, "x", "f") + argues(2, `{"a":1}`) + closes(2) + stops("tool_use") + counts

// TestAStreamThatIsCutIsNoAnswer cuts at every byte, as a server that ends there
// properly. Between the answer's end and its tokens it is an answer without tokens.
func TestAStreamThatIsCutIsNoAnswer(t *testing.T) {
	full, _, err := hear(t, canned(whole))
	if err != nil {
		t.Fatal(err)
	}
	behind := len(whole) - len(counts)
	for n := range len(whole) {
		a, partial, err := hear(t, canned(whole[:n]))
		if n == behind {
			if err != nil || show(a) != show(full) {
				t.Errorf("without tokens: %v, %s", err, show(a))
			}
			continue
		}
		if f := fault(t, err); f.Code != model.Unavailable || f.Permanent || !strings.HasPrefix("Hello", partial) {
			t.Fatalf("cut at %d: %+v after %q", n, f, partial)
		}
	}
}

// TestAStreamThatIsDamagedIsNoAnswer: each frame has a check sum.
func TestAStreamThatIsDamagedIsNoAnswer(t *testing.T) {
	for n := range len(whole) {
		damaged := []byte(whole)
		damaged[n] ^= 0x10
		_, _, err := hear(t, canned(damaged))
		if f := fault(t, err); f.Code != model.Unavailable {
			t.Fatalf("damaged at %d: %+v", n, f)
		}
	}
}
