package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func printed(sub Submission) string {
	sum := sha256.Sum256([]byte(sub.Prompt))
	return fingerprint(prompt{sha256: hex.EncodeToString(sum[:]), bytes: int64(len(sub.Prompt))}, sub.Agent)
}

// The values are stored: they must come out the same for ever.
func TestFingerprintsNeverChange(t *testing.T) {
	for _, c := range []struct {
		sub  Submission
		want string
	}{
		{Submission{Prompt: "hello"}, "v1:a24a879027d38b27e490fe42f53495b06bdc07d93365d518d39767d7ce6b942b"},
		{Submission{Prompt: "hello", OperationID: "does not count"}, "v1:a24a879027d38b27e490fe42f53495b06bdc07d93365d518d39767d7ce6b942b"},
		{Submission{Prompt: "hello", Agent: "demo"}, "v1:10a0e1ff08470b8a62fb472d971531ff1eac0beae0074aa443075a6ede7df38e"},
		{Submission{Prompt: "<&> \u2028 é 🦀"}, "v1:324f7b9ad7dbfbe8cbf054badadd5aee500480647e11f16436bc429de546a213"},
		{Submission{Prompt: "a\x00b\xff"}, "v1:eeb6dd4eee33fc663b0fbf733a759e89e2f06e886a83e0a1f224065b198a70c3"},
		{Submission{Prompt: strings.Repeat("p", 256<<10)}, "v1:fe17b6115dc8ef075e9e5b0485167d1243fd8d506b403ceec96b8136fa5a89db"},
	} {
		if got := printed(c.sub); got != c.want {
			t.Errorf("%.40q by %q: %s, want %s", c.sub.Prompt, c.sub.Agent, got, c.want)
		}
	}
}

func TestEveryFingerprintFitsIntoAClaim(t *testing.T) {
	if f := printed(Submission{Prompt: "p", Agent: strings.Repeat("a", 1<<10)}); len(f) != len("v1:")+64 {
		t.Errorf("%q", f)
	}
}
